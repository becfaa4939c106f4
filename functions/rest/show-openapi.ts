import { dashboardOpenApiDocument } from '../../shared/messages/dashboard/openapi.ts';
import { openApiDocument } from '../../shared/messages/rest/openapi.ts';
import { restRoute } from '../../shared/runtime/rest/rest-route.ts';

// Cached, because it changes only with a deployment.
const headers = { 'cache-control': 'public, max-age=300' };
const document = openApiDocument();
let ofDashboard: object | undefined;

export const handler = restRoute(async ({ route }) => {
  if (route === 'GET /openapi.json') return { status: 200, headers, body: document };
  // Built at the first request, because most instances of the function get none.
  ofDashboard ??= dashboardOpenApiDocument();
  return { status: 200, headers, body: ofDashboard };
});
