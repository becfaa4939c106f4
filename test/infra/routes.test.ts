import { functionNames, functionRow } from '../../lib/functions.ts';
import { ROUTES_PAGE, routesPage } from '../../scripts/routes/dashboard-page.ts';
import { OPENAPI_PAGE, openApiPage } from '../../scripts/routes/openapi-page.ts';
import { DASHBOARD_PATH } from '../../shared/messages/dashboard/route.ts';
import { restRoutes } from '../../shared/messages/rest/routes.ts';
import { read } from './support/sources.ts';

test.each([
  [ROUTES_PAGE, routesPage],
  [OPENAPI_PAGE, openApiPage],
])('%s is what `npm run docs:routes` writes', (path, page) => {
  expect(read(path)).toBe(page());
});

test('the OpenAPI document describes every route that clients, CRMs and vendors have', () => {
  const deployed = functionNames.flatMap((name) => {
    const { trigger } = functionRow(name);
    return trigger.kind === 'http' ? trigger.routes : [];
  });
  // The default route answers unknown ones, and the dashboard's routes have a page of their own.
  const expected = deployed.filter((route) => route !== '$default' && !route.includes(` ${DASHBOARD_PATH}/`));
  expect(restRoutes.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(expected.sort());
});
