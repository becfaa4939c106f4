import { secondsAfter } from '../../time/instants.ts';
import type { Connection } from '../connection.ts';
import { NOTED_EVERY_SECONDS } from './delivery-notes.ts';

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

/**
 * The requested life of a watch channel (docs/crm-b.md, "The watch channel"). If more than a week is requested, CRM-B
 * grants an hour.
 */
const CHANNEL_LIFE_SECONDS = 6 * DAY_SECONDS;

/** A channel with less time left is renewed. This leaves twelve runs of renew-watch-channels. */
const RENEWAL_SECONDS = 3 * DAY_SECONDS;

/**
 * How long the former token stays valid after its channel was found dead or silent, because deliveries may be in
 * transit.
 */
const FORMER_TOKEN_SECONDS = 10 * 60;

/** A change that is undelivered after this time counts as lost. CRM-B promises no latency. */
const SILENT_AFTER_SECONDS = 15 * 60;

/** The maximum credible age of a notification. */
const LATEST_NOTIFICATION_SECONDS = DAY_SECONDS;

/** The maximum age of the changes that are caught up on: enough for an outage of a whole day. */
const LONGEST_CATCH_UP_SECONDS = 2 * DAY_SECONDS;

/**
 * The time for which a lead that is left to the catch-up needs no write, because another lead was left shortly before.
 */
const LEFT_EVERY_SECONDS = 30;
/** Longer than `LEFT_EVERY_SECONDS`, so that the query that closes the gap covers a lead without a write. */
const SETTLED_SECONDS = 60;

/** How far CRM-B's own clock may be from ours. */
export const CRM_CLOCK_SECONDS = 60;

/** The time from a call to our last write to its lead at CRM-B, with a margin. */
const OWN_WRITES_SECONDS = 2 * HOUR_SECONDS;

export type Span = { from: Date; to: Date };

/** The part of a gap that can be caught up on. `isClosed`: the gap ends with it. */
export type CatchUpSpan = Span & { isClosed: boolean };

/** Returns the address for CRM-B's notifications. */
export const notifyUrlOf = (publicUrl: string, connectionId: string): string =>
  new URL(notifyPathOf(connectionId), publicUrl).href;

const notifyPathOf = (connectionId: string): string => `/api/webhooks/crm-b/${connectionId}`;

/** Returns whether a channel belongs to the connection, even if the service had another address at its arming. */
export const isChannelOf = (connectionId: string, notifyUrl: string): boolean =>
  URL.canParse(notifyUrl) && new URL(notifyUrl).pathname === notifyPathOf(connectionId);

/** Returns the expiry to request for a channel that is armed or renewed now. */
export const channelExpiry = (now: Date): Date => new Date(secondsAfter(now, CHANNEL_LIFE_SECONDS));

/** Returns until when the former token is valid. */
export const formerTokenUntil = (now: Date): string => secondsAfter(now, FORMER_TOKEN_SECONDS);

export const isRenewalDue = (expiresAt: string, now: Date): boolean => expiresAt < secondsAfter(now, RENEWAL_SECONDS);

/**
 * Returns the start of a gap that is found now: the last instant at which every change is known to have been delivered.
 * Changes from shortly before the last delivery may still be on their way, so the gap begins before it. It does not
 * reach back to changes that are too old to be caught up on: they cannot be told from delivered ones, and must not
 * count as given up. The changes since a former channel was armed belong to the gap, too, even if they precede the
 * consent.
 */
export const gapStart = ({ last_delivery_at, channel, grant }: Connection, now: Date): string =>
  latestOf([
    last_delivery_at && undeliveredBefore(last_delivery_at, now),
    channel ? channel.armed_at : grant?.granted_at,
  ]) ?? earliestCatchUp(now);

const undeliveredBefore = (delivery: string, now: Date): string => {
  const afterIt = secondsAfter(delivery, NOTED_EVERY_SECONDS);
  const earliest = earliestCatchUp(now);
  return latestOf([secondsAfter(delivery, -SILENT_AFTER_SECONDS), afterIt < earliest ? afterIt : earliest]) as string;
};

/**
 * Returns the span in which a changed lead proves that the channel is silent: after the last delivery, which is
 * recorded only once a minute, and long enough ago. A change that is too old to be caught up on proves it, too, so that
 * its lead is not lost without an alarm. Returns undefined while no change could prove it.
 */
export function silenceSpan({ last_delivery_at, channel, grant }: Connection, now: Date): Span | undefined {
  const worked = latestOf([last_delivery_at, channel?.armed_at, grant?.granted_at]);
  const from = new Date(worked === undefined ? earliestCatchUp(now) : secondsAfter(worked, NOTED_EVERY_SECONDS));
  const to = new Date(secondsAfter(now, -SILENT_AFTER_SECONDS));
  return from < to ? { from, to } : undefined;
}

const latestOf = (instants: readonly (string | undefined)[]): string | undefined =>
  instants
    .filter((at) => at !== undefined)
    .sort()
    .at(-1);

/** Returns whether the channel belongs to a former consent, because the arming after the new one did not complete. */
export const isOfFormerConsent = ({ channel, grant }: Connection): boolean =>
  channel !== undefined && grant !== undefined && channel.armed_at < grant.granted_at;

/** Returns the earliest instant of the changes that a notification may report now. */
export const earliestUndelivered = (now: Date): string => secondsAfter(now, -SILENT_AFTER_SECONDS);

/**
 * Returns the start of a gap that is found at `now` without a check of the channel, which may have been silent since
 * its last delivery.
 * @param sentAt when CRM-B sent the first notification that is known to be lost
 */
export const undeliveredSince = (connection: Connection, sentAt: Date, now: Date): string =>
  [earliestUndelivered(sentAt), gapStart(connection, now)].sort()[0] as string;

/**
 * Returns when CRM-B sent a notification that has just arrived, because it may have been delayed. Undefined if that
 * time is not credible: in the future, or more than a day ago.
 */
export const credibleSentAt = (sentAt: string | undefined, now: Date): string | undefined =>
  sentAt !== undefined && sentAt <= now.toISOString() && sentAt >= secondsAfter(now, -LATEST_NOTIFICATION_SECONDS)
    ? sentAt
    : undefined;

/**
 * Returns the start of the part of a gap whose leads are wanted. Leads of another organization of CRM-B are wanted only
 * if they changed after it was connected, as after a first consent.
 */
export const wantedSince = (start: string, { organization_since }: Connection): string =>
  latestOf([start, organization_since]) ?? start;

/**
 * Returns the start of the part of a gap in which a lead that is too old counts as given up. A gap may begin before the
 * last delivery. If no delivery has arrived since, and no lead was left to the catch-up, the changes up to that
 * delivery arrived, and are excluded.
 */
export function givenUpSince(start: string, { last_delivery_at, catch_up_to }: Connection): string {
  const isBegunByDelivery =
    last_delivery_at !== undefined && last_delivery_at <= secondsAfter(start, SILENT_AFTER_SECONDS);
  if (catch_up_to !== undefined || !isBegunByDelivery) return start;
  return latestOf([start, secondsAfter(last_delivery_at, NOTED_EVERY_SECONDS)]) ?? start;
}

/**
 * Returns the part of a gap that can be caught up on now: until the arming that ended it, plus a minute because CRM-B
 * has a clock of its own, or until now if the gap is open or the channel delivers.
 * @param isDelivering whether the channel is known to deliver now, which closes the gap
 */
export function catchUpSpan(start: string, { channel }: Connection, now: Date, isDelivering: boolean): CatchUpSpan {
  const from = new Date([start, earliestCatchUp(now)].sort().at(-1) as string);
  // Until now, even if an arming ended the gap: a later gap cannot be stored while this one is.
  if (isDelivering) return { from, to: now, isClosed: true };
  const isClosed = channel !== undefined && channel.armed_at > start;
  return { from, to: isClosed ? new Date(secondsAfter(channel.armed_at, CRM_CLOCK_SECONDS)) : now, isClosed };
}

/**
 * Returns the instant since which calls of the lead count against another call. The change may be our own write after a
 * call: the note of a call at 23:58, written at 00:03, must not cause a second call.
 */
export const beforeOwnWrites = (modifiedAt: string): string => secondsAfter(modifiedAt, -OWN_WRITES_SECONDS);

/** Returns the earliest instant of the changes that can be caught up on. */
export const earliestCatchUp = (now: Date): string => secondsAfter(now, -LONGEST_CATCH_UP_SECONDS);

/** Returns whether to record on the connection that a lead, whose gap begins at `from`, is left to the catch-up. */
export const isLeavingDue = (
  { catch_up_from, catch_up_to = '' }: Pick<Connection, 'catch_up_from' | 'catch_up_to'>,
  from: string,
  now: Date,
): boolean =>
  catch_up_from === undefined || catch_up_from > from || catch_up_to < secondsAfter(now, -LEFT_EVERY_SECONDS);

/**
 * Returns where a gap continues after a query of the changes up to `to`: a minute earlier, because CRM-B has its own
 * clock.
 */
export const continuedFrom = (to: Date): string => secondsAfter(to, -CRM_CLOCK_SECONDS);

/** Returns the instant until which a query of the changes up to `to` covers every lead that was left to it. */
export const coveredUntil = (to: Date): string => secondsAfter(to, -SETTLED_SECONDS);
