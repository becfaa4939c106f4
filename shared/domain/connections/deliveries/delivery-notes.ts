import { secondsBetween } from '../../time/instants.ts';
import type { Connection } from '../connection.ts';
import { countsAtOnce, isUnauthorized, tokenSince } from './refused-deliveries.ts';

/** The interval at which deliveries and refusals are recorded. */
export const NOTED_EVERY_SECONDS = 60;

/**
 * Returns whether a refused delivery is recorded: at most once a minute, so that a flood causes few writes. A wrong
 * token must not hide that the CRM's own deliveries are refused: it neither replaces a refusal that makes the
 * connection reject, nor delays its record.
 */
export function isRejectionDue(connection: Connection, reason: string, now: Date): boolean {
  const { rejection } = connection;
  if (!rejection) return true;
  if (isUnauthorized({ reason })) {
    if (!isUnauthorized(rejection) && countsAtOnce(connection)) return false;
  } else if (isUnauthorized(rejection)) return true;
  return secondsBetween(rejection.at, now) >= NOTED_EVERY_SECONDS;
}

/**
 * Returns whether an accepted delivery is recorded: once a minute, and at once if it ends a silence or is the first one
 * with a new token.
 */
export function isDeliveryDue(connection: Connection, deliveredAt: string): boolean {
  const { last_delivery_at, silent_since } = connection;
  if (!last_delivery_at || secondsBetween(last_delivery_at, deliveredAt) >= NOTED_EVERY_SECONDS) return true;
  const isFirstAfter = (since: string | undefined) =>
    since !== undefined && last_delivery_at <= since && deliveredAt > since;
  return isFirstAfter(tokenSince(connection)) || (silent_since !== undefined && deliveredAt > silent_since);
}
