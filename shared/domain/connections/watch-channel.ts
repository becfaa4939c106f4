import { secondsAfter } from '../time/instants.ts';
import type { Connection } from './connection.ts';
import { NOTED_EVERY_SECONDS } from './delivery-notes.ts';

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

/** How long a watch channel is asked for (interface, "Limits"); the CRM turns more than a week into an hour. */
const CHANNEL_LIFE_SECONDS = 6 * DAY_SECONDS;

/** A channel with less left than this is renewed: some twelve runs of renew-watch-channels before it ends. */
const RENEWED_WITHIN_SECONDS = 3 * DAY_SECONDS;

/** How long the token of a channel that was found dead or silent still counts: what it has sent may be under way. */
const FORMER_TOKEN_SECONDS = 10 * 60;

/** A change that was not delivered after this time never will be; the CRM promises no latency, "a couple of minutes" (interface). */
const SILENT_AFTER_SECONDS = 15 * 60;

/** How far back the leads of a gap are looked for. */
const LONGEST_GAP_SECONDS = DAY_SECONDS;

/** From a call to the last record of it that we write to its lead at the CRM, with room. */
const OWN_WRITES_SECONDS = 2 * HOUR_SECONDS;

export type Span = { from: Date; to: Date };

/** `isClosed`: nothing is left of the gap after it. */
export type CatchUpSpan = Span & { isClosed: boolean };

/** Where the CRM posts its notifications. @param publicUrl base of the service's addresses. */
export const notifyUrlOf = (publicUrl: string, connectionId: string): string =>
  new URL(notifyPathOf(connectionId), publicUrl).href;

const notifyPathOf = (connectionId: string): string => `/api/webhooks/crm-b/${connectionId}`;

/** Whether a channel at the CRM was armed for this connection, also where the service had another address then. */
export const isChannelOf = (connectionId: string, notifyUrl: string): boolean =>
  URL.canParse(notifyUrl) && new URL(notifyUrl).pathname === notifyPathOf(connectionId);

/** @returns when a channel that is armed or renewed now is asked to end. */
export const channelExpiry = (now: Date): Date => new Date(secondsAfter(now, CHANNEL_LIFE_SECONDS));

/** @returns until when the token of the channel before counts. */
export const formerTokenUntil = (now: Date): string => secondsAfter(now, FORMER_TOKEN_SECONDS);

/** @param expiresAt ISO 8601, in UTC. */
export const isRenewalDue = (expiresAt: string, now: Date): boolean =>
  expiresAt < secondsAfter(now, RENEWED_WITHIN_SECONDS);

/**
 * When the connection last had every change delivered, as far as is known: a gap that is found now began there. What was
 * delivered last may have overtaken what was changed before it and is under way. Where there was a channel before the
 * consent, the changes before it are ours, too.
 * @returns ISO 8601, a day back at most.
 */
export const gapStart = ({ last_delivery_at, channel, grant }: Connection, now: Date): string =>
  latest(now, [
    last_delivery_at && secondsAfter(last_delivery_at, -SILENT_AFTER_SECONDS),
    channel ? channel.armed_at : grant?.granted_at,
  ]);

/**
 * The time in which a changed lead proves that the channel is silent: after the last delivery, which is written down once
 * a minute only, and long enough ago.
 * @returns undefined where no change could prove anything yet.
 */
export function silenceSpan({ last_delivery_at, channel, grant }: Connection, now: Date): Span | undefined {
  const worked = latest(now, [last_delivery_at, channel?.armed_at, grant?.granted_at]);
  const from = new Date(secondsAfter(worked, NOTED_EVERY_SECONDS));
  const to = new Date(secondsAfter(now, -SILENT_AFTER_SECONDS));
  return from < to ? { from, to } : undefined;
}

/** @returns the last of these instants, a day back at most. */
const latest = (now: Date, instants: readonly (string | undefined)[]): string =>
  [...instants.filter((at) => at !== undefined), secondsAfter(now, -LONGEST_GAP_SECONDS)].sort().at(-1) as string;

/** Whether the channel is of a consent before: the arming after the new one did not come to its end. */
export const isOfFormerConsent = ({ channel, grant }: Connection): boolean =>
  channel !== undefined && grant !== undefined && channel.armed_at < grant.granted_at;

/** @returns ISO 8601: when the changes may have been made that a notification tells of now. */
export const undeliveredSince = (now: Date): string => secondsAfter(now, -SILENT_AFTER_SECONDS);

/**
 * What of a gap can be caught up on now: up to the arming that ended it, a minute more, because the CRM has a clock of its
 * own; or, where it is still open or the channel delivers, up to now.
 * @param start of the gap, ISO 8601. @param isDelivering the channel is known to deliver now: the gap ends here.
 */
export function catchUpSpan(start: string, { channel }: Connection, now: Date, isDelivering: boolean): CatchUpSpan {
  const from = new Date([start, secondsAfter(now, -LONGEST_GAP_SECONDS)].sort().at(-1) as string);
  // Up to now, even where an arming ended the gap: a later one finds its beginning taken.
  if (isDelivering) return { from, to: now, isClosed: true };
  const isClosed = channel !== undefined && channel.armed_at > start;
  return { from, to: isClosed ? new Date(secondsAfter(channel.armed_at, NOTED_EVERY_SECONDS)) : now, isClosed };
}

/**
 * From when on a call of the lead counts against another one. The change may be what we wrote to the CRM ourselves after a
 * call, on the day after it: a call of 23:58 whose note is of 00:03 is no reason for a second one.
 * @param modifiedAt ISO 8601. @returns ISO 8601.
 */
export const countsCallsSince = (modifiedAt: string): string => secondsAfter(modifiedAt, -OWN_WRITES_SECONDS);
