import { secondsBetween } from '../time/instants.ts';
import type { Connection } from './connection.ts';

/** Deliveries and refusals are written down once within this time. */
export const NOTED_EVERY_SECONDS = 60;

/** Whether a refused delivery is written down: once a minute at most, whoever keeps sending. */
export const isRejectionDue = ({ rejection }: Connection, now: Date): boolean =>
  !rejection || secondsBetween(rejection.at, now) >= NOTED_EVERY_SECONDS;

/** Whether a taken delivery is written down: once a minute, and at once where it ends a time of refusals or of silence. */
export const isDeliveryDue = (
  { last_delivery_at, rejection, silent_since }: Connection,
  deliveredAt: string,
): boolean =>
  !last_delivery_at ||
  secondsBetween(last_delivery_at, deliveredAt) >= NOTED_EVERY_SECONDS ||
  (silent_since !== undefined && deliveredAt > silent_since) ||
  (rejection !== undefined && rejection.at > last_delivery_at && deliveredAt > rejection.at);
