import { writeFileSync } from 'node:fs';
import { ROUTES_PAGE, routesPage } from './routes/dashboard-page.ts';
import { DASHBOARD_OPENAPI_PAGE, dashboardOpenApiPage, OPENAPI_PAGE, openApiPage } from './routes/openapi-page.ts';

/** `npm run docs:routes`: writes the descriptions of all routes. */
const pages = {
  [ROUTES_PAGE]: routesPage(),
  [OPENAPI_PAGE]: openApiPage(),
  [DASHBOARD_OPENAPI_PAGE]: dashboardOpenApiPage(),
};
for (const [path, text] of Object.entries(pages)) writeFileSync(new URL(`../${path}`, import.meta.url), text);
