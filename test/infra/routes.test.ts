import { functionNames, functionRow } from '../../lib/functions.ts';
import { ROUTES_PAGE, routesPage } from '../../scripts/routes/dashboard-page.ts';
import {
  DASHBOARD_OPENAPI_PAGE,
  dashboardOpenApiPage,
  OPENAPI_PAGE,
  openApiPage,
} from '../../scripts/routes/openapi-page.ts';
import { dashboardOpenApiDocument } from '../../shared/messages/dashboard/openapi.ts';
import { openApiDocument } from '../../shared/messages/rest/openapi.ts';
import { read } from './support/sources.ts';

test.each([
  [ROUTES_PAGE, routesPage],
  [OPENAPI_PAGE, openApiPage],
  [DASHBOARD_OPENAPI_PAGE, dashboardOpenApiPage],
])('%s equals the output of `npm run docs:routes`', (path, page) => {
  expect(read(path)).toBe(page());
});

const describedIn = ({ paths }: { paths: Record<string, Record<string, object>> }) =>
  Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );

test('the two OpenAPI documents describe every deployed route, each once', () => {
  const deployed = functionNames.flatMap((name) => {
    const { trigger } = functionRow(name);
    return trigger.kind === 'http' ? trigger.routes : [];
  });
  const described = [...describedIn(openApiDocument()), ...describedIn(dashboardOpenApiDocument())];
  // The default route answers unknown ones.
  expect(['$default', ...described].sort()).toEqual(deployed.sort());
});

test('the documents require the access token on exactly the routes where the gateway checks it', () => {
  const { paths } = dashboardOpenApiDocument();
  const byGateway = functionNames.flatMap((name) => {
    const { trigger } = functionRow(name);
    return trigger.kind === 'http' && trigger.isForMembers ? trigger.routes : [];
  });
  const guarded = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { security }]) =>
      JSON.stringify(security).includes('accessToken') ? [`${method.toUpperCase()} ${path}`] : [],
    ),
  );
  expect(guarded.sort()).toEqual(byGateway.sort());
});
