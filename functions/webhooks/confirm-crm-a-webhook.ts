import { webhookRoute } from '../../shared/runtime/webhook-route.ts';

/** Answers CRM-A, which checks the URL when a webhook is registered. */
export const handler = webhookRoute(async () => ({ status: 200 }));
