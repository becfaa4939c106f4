import { writeFileSync } from 'node:fs';
import { ROUTES_PAGE, routesPage } from './dashboard-routes/page.ts';

/** `npm run docs:routes`: writes the page of the dashboard's routes. */
writeFileSync(new URL(`../${ROUTES_PAGE}`, import.meta.url), routesPage());
