import { webhookRoute } from '../../shared/runtime/webhook-route.ts';

/** What CRM-A asks while a webhook is registered: whether the URL answers. Nothing is looked up. */
export const handler = webhookRoute(async () => ({ status: 200 }));
