import { ROUTES_PAGE, routesPage } from '../../scripts/dashboard-routes/page.ts';
import { read } from './support/sources.ts';

test('the page of routes is what `npm run docs:routes` writes', () => {
  expect(read(ROUTES_PAGE)).toBe(routesPage());
});
