import { openApiDocument } from '../../shared/messages/rest/openapi.ts';
import { restRoute } from '../../shared/runtime/rest-route.ts';

// It changes only with a deployment.
const headers = { 'cache-control': 'public, max-age=300' };
const body = openApiDocument();

export const handler = restRoute(async () => ({ status: 200, headers, body }));
