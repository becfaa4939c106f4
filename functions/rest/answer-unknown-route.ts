import { refuse, restRoute } from '../../shared/runtime/rest/rest-route.ts';

const notFound = refuse({ error: 'not_found', message: 'There is no such route, or it does not accept this method.' });

// Error bodies of webhooks carry only `error` (docs/rest-api.md, "Errors").
const webhookNotFound = { status: notFound.status, body: { error: 'not_found' } };

export const handler = restRoute(async ({ rawPath }) =>
  rawPath.startsWith('/api/webhooks/') ? webhookNotFound : notFound,
);
