import { createHash, randomBytes, randomInt } from 'node:crypto';

const HEX_CHARACTERS = 32;

/**
 * Derives the id of a client's call from its idempotency key, scoped to the organization. Without a key the id is
 * random.
 * @returns at most 40 characters: the limit of the voice platform's external id.
 */
export function callIdFor(orgId: string, idempotencyKey: string | undefined): string {
  if (idempotencyKey === undefined) return `call_${randomBytes(HEX_CHARACTERS / 2).toString('hex')}`;
  return `call_${digestOf(orgId, idempotencyKey)}`;
}

/**
 * Derives the id of a lead's call from its event, so that an event becomes at most one call.
 * @param eventId the original event, if this event repeats another one
 */
export const callIdForLead = (connectionId: string, eventId: string): string =>
  `call_${digestOf('lead', connectionId, eventId)}`;

/**
 * Derives the id of a test call from its idempotency key, so that a repeated request rings once. It differs from
 * the id of every client's call.
 */
export const testCallIdFor = (orgId: string, userId: string, idempotencyKey: string): string =>
  `call_${digestOf('test', orgId, userId, idempotencyKey)}`;

/** Derives the id from organization and type, so that a second connection of the same type is refused. */
export const connectionIdFor = (orgId: string, type: string): string =>
  `conn_${digestOf('connection', orgId, type).slice(0, 24)}`;

const digestOf = (...parts: string[]): string =>
  createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, HEX_CHARACTERS);

/** Returns the hash by which a tombstone recognizes an id of the voice platform whose data is deleted. */
export const hashOfPlatformId = (platformId: string): string => digestOf('platform', platformId);

const TIME_CHARACTERS = 12; // milliseconds in hex

/** Creates the id of a lead event. Ids sort by time, and two ids of the same millisecond differ. */
export const newEventId = (now: Date): string =>
  `evt_${now.getTime().toString(16).padStart(TIME_CHARACTERS, '0')}${randomBytes(8).toString('hex')}`;

/**
 * Derives the id of a lead event that a catch-up queues, so that a repeated catch-up queues the same event.
 * @param gapStart ISO 8601.
 * @param modifiedAt when the lead changed, ISO 8601. A lead that changes again before the catch-up is repeated needs
 * another event, because its first one may have been refused
 * @param leftAt when a lead was last left to the catch-up, ISO 8601. A lead that is left again opens a gap with the
 * same start, and must not get the id of its former event, which is already decided
 */
export const catchUpEventId = (
  connectionId: string,
  leadId: string,
  gapStart: string,
  modifiedAt: string,
  leftAt = '',
): string => `evt_${digestOf('catch-up', connectionId, leadId, gapStart, modifiedAt, leftAt)}`;

/**
 * Derives the id of a lead event that a Sunday sweep queues, so that a repeated sweep queues the same event.
 * @param day the IST day of the sweep.
 */
export const sundayEventId = (connectionId: string, leadId: string, day: string): string =>
  `evt_${digestOf('sunday', connectionId, leadId, day)}`;

/**
 * Derives the id of a test event from the key of a person's request, so that a repeated request is the same event.
 * @param request the idempotency key, with all contents of the request
 */
export const testEventId = (connectionId: string, ...request: string[]): string =>
  `evt_${digestOf('test-event', connectionId, ...request)}`;

/**
 * Creates the id of a watch channel, which CRM-B lets the client choose: 16 random digits, less than 2^53, so that it
 * survives as a JSON number.
 */
export const newChannelId = (): string =>
  `${randomInt(10_000_000, 90_000_000)}${String(randomInt(100_000_000)).padStart(8, '0')}`;

/** @returns 19 lower-case letters and digits, because an API key contains it. */
export const newOrgId = (): string => `org${randomBytes(8).toString('hex')}`;

/**
 * Derives the id of an assistant from the key of a person's request, so that a repeated request creates no second one.
 * @param request the idempotency key, with all contents of the request
 */
export const assistantIdFor = (orgId: string, by: string, ...request: string[]): string =>
  `asst_${digestOf('assistant', orgId, by, ...request).slice(0, 24)}`;

/** Derives the id of an upload from the key of a person's request, so that a repeated request adds nothing. */
export const uploadIdFor = (assistantId: string, by: string, idempotencyKey: string): string =>
  `upload_${digestOf('upload', assistantId, by, idempotencyKey)}`;

export const newAssistantId = (): string => `asst_${randomBytes(12).toString('hex')}`;

export const newKnowledgeId = (): string => `kb_${randomBytes(12).toString('hex')}`;

/** Creates the public id of an API key. It reveals nothing about the value. */
export const newKeyId = (): string => `key_${randomBytes(12).toString('hex')}`;

const MAX_CHARACTERS_OF_AN_ID = 64;

/**
 * Returns whether a client's text can be an id. Other texts need no lookup, and DynamoDB refuses half a surrogate pair.
 */
export const mayBeId = (text: string): boolean =>
  text.length > 0 && text.length <= MAX_CHARACTERS_OF_AN_ID && text.isWellFormed();

/** Creates an idempotency token for one request. */
export const newToken = (): string => randomBytes(16).toString('hex');
