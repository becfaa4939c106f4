import { secondsBetween } from '../time/instants.ts';
import type { Connection } from './connection.ts';

/** The interval at which deliveries and refusals are recorded. */
export const NOTED_EVERY_SECONDS = 60;

/** Returns whether a refused delivery is recorded: at most once a minute, so that a flood causes few writes. */
export const isRejectionDue = ({ rejection }: Connection, now: Date): boolean =>
  !rejection || secondsBetween(rejection.at, now) >= NOTED_EVERY_SECONDS;

/** Returns whether an accepted delivery is recorded: once a minute, and at once if it ends a silence. */
export const isDeliveryDue = ({ last_delivery_at, silent_since }: Connection, deliveredAt: string): boolean =>
  !last_delivery_at ||
  secondsBetween(last_delivery_at, deliveredAt) >= NOTED_EVERY_SECONDS ||
  (silent_since !== undefined && deliveredAt > silent_since);
