import type { DeliveryReceipt } from '../operations/leads/steps/delivery.ts';
import type { WebhookAnswer } from './webhook-route.ts';

const statuses: Record<DeliveryReceipt, number> = {
  received: 200,
  'unknown connection': 404,
  unauthorized: 401,
  'invalid body': 400,
  'payload too large': 413,
};

/** Answers a delivery of either CRM (docs/leads.md, "The CRM-A webhook"; docs/crm-b.md, "Notifications"). */
export const deliveryAnswer = (receipt: DeliveryReceipt): WebhookAnswer => ({
  status: statuses[receipt],
  body: receipt === 'received' ? { received: true } : { error: receipt },
});
