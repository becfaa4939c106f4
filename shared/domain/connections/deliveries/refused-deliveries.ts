import { secondsBetween } from '../../time/instants.ts';
import type { Connection } from '../connection.ts';

type Rejection = NonNullable<Connection['rejection']>;

/** A delivery with the right token and a wrong body counts this long after the last accepted one, in seconds. */
const WRONG_BODIES_COUNT_AFTER_SECONDS = 60 * 60;

/** Returns whether a stranger can cause this refusal. All other refusals had the right token, so the CRM sent them. */
export const isUnauthorized = ({ reason }: Pick<Rejection, 'reason'>): boolean => reason === 'unauthorized';

/**
 * Returns since when the connection has had its current token; undefined if that is unknown, or if the connection was
 * created with the token. CRM-B has a token for each channel.
 */
export const tokenSince = ({ type, token_replaced_at, channel }: Connection): string | undefined =>
  type === 'crm-a' ? token_replaced_at : channel?.armed_at;

/** Returns the last refusal unless it precedes the current token, to which it does not apply. */
export const rejectionOfToken = (connection: Connection): Rejection | undefined =>
  connection.rejection && connection.rejection.at > (tokenSince(connection) ?? '') ? connection.rejection : undefined;

/**
 * Returns whether the last refusal makes the connection reject at once (docs/leads.md, "Refused deliveries"). A wrong
 * token counts until a delivery has proved that the CRM has the current token. A wrong body counts only if no delivery
 * was accepted in the hour before; otherwise another automation may have posted it.
 */
export function countsAtOnce(connection: Connection): boolean {
  const { last_delivery_at } = connection;
  const rejection = rejectionOfToken(connection);
  if (!rejection) return false;
  if (isUnauthorized(rejection)) return !last_delivery_at || last_delivery_at <= (tokenSince(connection) ?? '');
  return !last_delivery_at || secondsBetween(last_delivery_at, rejection.at) >= WRONG_BODIES_COUNT_AFTER_SECONDS;
}
