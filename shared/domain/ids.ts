import { createHash, randomBytes, randomInt } from 'node:crypto';

const HEX_CHARACTERS = 32;

/**
 * @param orgId the owner. @param idempotencyKey given by the client, scoped to the org; without one the id is random.
 * @returns at most 40 characters, because it travels as the voice platform's external id.
 */
export function callIdFor(orgId: string, idempotencyKey: string | undefined): string {
  if (idempotencyKey === undefined) return `call_${randomBytes(HEX_CHARACTERS / 2).toString('hex')}`;
  return `call_${digestOf(orgId, idempotencyKey)}`;
}

/**
 * The id of the call that a lead event becomes: the same event never becomes a second one.
 * @param eventId of the original event, where this one repeats another.
 */
export const callIdForLead = (connectionId: string, eventId: string): string =>
  `call_${digestOf('lead', connectionId, eventId)}`;

/** One connection per integration and org (interface): so its id follows from both, and a second one is refused as taken. */
export const connectionIdFor = (orgId: string, type: string): string =>
  `conn_${digestOf('connection', orgId, type).slice(0, 24)}`;

const digestOf = (...parts: string[]): string =>
  createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, HEX_CHARACTERS);

const TIME_CHARACTERS = 12; // milliseconds in hex

/** A new lead event's id. Ids sort by their time, and two of one millisecond still differ. */
export const newEventId = (now: Date): string =>
  `evt_${now.getTime().toString(16).padStart(TIME_CHARACTERS, '0')}${randomBytes(8).toString('hex')}`;

/**
 * The id of the event that makes up for a change of a lead that was not delivered: catching up twice queues the same event.
 * @param gapStart ISO 8601.
 */
export const catchUpEventId = (connectionId: string, leadId: string, gapStart: string): string =>
  `evt_${digestOf('catch-up', connectionId, leadId, gapStart)}`;

/**
 * The id of a lead's event of a Sunday sweep: sweeping twice on a day queues the same event.
 * @param day the IST day of the sweep.
 */
export const sundayEventId = (connectionId: string, leadId: string, day: string): string =>
  `evt_${digestOf('sunday', connectionId, leadId, day)}`;

/**
 * A new watch channel's id, which CRM-B lets us choose: a number, as text. It has 16 digits, so that it is the same
 * wherever it is written as a JSON number.
 */
export const newChannelId = (now: Date): string => `${now.getTime()}${String(randomInt(1_000)).padStart(3, '0')}`;

/** @returns 19 lower-case letters and digits, so that it can stand inside an API key. */
export const newOrgId = (): string => `org${randomBytes(8).toString('hex')}`;

export const newAssistantId = (): string => `asst_${randomBytes(12).toString('hex')}`;

export const newKnowledgeId = (): string => `kb_${randomBytes(12).toString('hex')}`;

/** A key's public name: says nothing about its value. */
export const newKeyId = (): string => `key_${randomBytes(12).toString('hex')}`;

const MOST_CHARACTERS_OF_AN_ID = 64;

/** Whether a stranger's text could be an id of ours; what is longer needs no look-up. */
export const mayBeId = (text: string): boolean => text.length > 0 && text.length <= MOST_CHARACTERS_OF_AN_ID;

/** Names one request, so that a repeat of it is known as such. */
export const newToken = (): string => randomBytes(16).toString('hex');
