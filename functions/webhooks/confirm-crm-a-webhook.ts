import { webhookRoute } from '../../shared/runtime/webhook-route.ts';

/** Answers CRM-A, which checks that the URL responds while a webhook is registered. */
export const handler = webhookRoute(async () => ({ status: 200 }));
