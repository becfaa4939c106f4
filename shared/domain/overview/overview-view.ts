import { daysLeft } from '../calls/usage/usage-range.ts';
import type { Connection } from '../connections/connection.ts';
import { connectionHealth } from '../connections/connection-health.ts';
import { toCredits } from '../organizations/credit.ts';
import type { Organization } from '../organizations/organization.ts';

/** Returns a connection for the overview of the dashboard's API. */
export const viewConnectionHealth = (connection: Connection) => ({
  connection_id: connection.connection_id,
  type: connection.type,
  ...connectionHealth(connection),
  auto_call: connection.auto_call,
  last_delivery_at: connection.last_delivery_at ?? null,
});

/**
 * Returns the credit for the overview of the dashboard's API, in credits.
 * @param used.pace units per day. @param used.spentToday units that today's calls cost or may cost.
 */
export const viewCredit = (
  { available, held, warn_below, daily_limit }: Organization,
  { pace, spentToday }: { pace: number | undefined; spentToday: number | undefined },
) => ({
  available: toCredits(available),
  held: toCredits(held),
  warn_below: warn_below === undefined ? null : toCredits(warn_below),
  today:
    daily_limit === undefined || spentToday === undefined
      ? null
      : { limit: toCredits(daily_limit), spent: toCredits(spentToday) },
  pace: pace === undefined ? null : toCredits(Math.round(pace)),
  days_left: (pace === undefined ? undefined : daysLeft(available, pace)) ?? null,
});
