import { randomInt, randomUUID } from 'node:crypto';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { planBurst } from '../../../local/simulators/crm-a/burst-plan.ts';
import { LEAD_NUMBERS, type LeadFields } from '../../../local/simulators/crm-a/payloads.ts';
import type { Connection } from '../../../shared/domain/connections/connection.ts';
import { newEventId, newToken } from '../../../shared/domain/ids.ts';
import type { LeadEvent } from '../../../shared/messages/lead-event.ts';
import { createConnection } from '../../../shared/operations/connections/create-connection.ts';
import type { StoredEntry } from '../../../shared/stores/connections/activity.ts';
import { operator } from '../connections/change-connection.ts';
import { anOrg, stores, type TestOrg } from '../organizations/orgs.ts';
import { expectDescribed } from '../rest/contract.ts';
import { aPhoneNumber, untilNotBusy } from '../rest/rest.ts';
import { concurrently, environment, eventually, inTime, now, passTime, queueUrl, sqs } from '../stack/stack.ts';

/** The trigger owner of the test connections. */
export const OWNER = 'a3b1c2d4-0000-4000-8000-00000000feed';

export type TestConnection = { org: TestOrg; connection: Connection; token: string };

/** Creates a CRM-A connection, of a new organization unless given: with auto-call, an assistant and a trigger owner. */
export async function aConnection(
  settings: Partial<Pick<Connection, 'auto_call' | 'assistant_id' | 'trigger_owner_user_id'>> = {},
  given?: TestOrg,
): Promise<TestConnection> {
  const org = given ?? (await anOrg());
  const created = await createConnection({ ...stores, now, newToken }, operator, {
    org_id: org.orgId,
    type: 'crm-a',
    auto_call: true,
    assistant_id: org.assistantId,
    trigger_owner_user_id: OWNER,
    ...settings,
  });
  if (created.kind !== 'created' || created.token === undefined) throw new Error(`not connected: ${created.kind}`);
  return { org, connection: created.connection, token: created.token };
}

/** Returns a lead as LeadSquared posts it on creation: flat, each value a string or null. */
export const leadBody = (more: Record<string, unknown> = {}) => ({
  ProspectID: randomUUID(),
  ProspectAutoId: '1001',
  FirstName: 'Ravi',
  LastName: null,
  EmailAddress: 'ravi@example.com',
  Phone: `+91-${aPhoneNumber().slice(3)}`,
  Mobile: null,
  Source: 'Contact Us',
  ProspectStage: 'Raw',
  Score: '0',
  DoNotCall: '0',
  OwnerId: OWNER,
  CreatedOn: '2026-10-06 17:45:19',
  mx_City: 'Pune',
  ...more,
});

export const webhookPath = (connectionId: string): string => `/api/webhooks/crm-a/${connectionId}`;

/** Posts a delivery as CRM-A does. @param body an object is sent as JSON. */
export async function deliver(
  { connection, token }: Pick<TestConnection, 'connection' | 'token'>,
  body: object | string,
  headers: Record<string, string> = { 'x-crma-webhook-token': token },
): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(environment.base_url + webhookPath(connection.connection_id), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    signal: AbortSignal.timeout(120_000),
  });
  const text = await answer.text();
  const parsed = text === '' ? undefined : JSON.parse(text);
  expectDescribed('POST', webhookPath(connection.connection_id), answer.status, parsed);
  return { status: answer.status, body: parsed };
}

/** Delivers, with retries while the service is busy. @returns the last status */
async function deliverUntilTaken(connected: Pick<TestConnection, 'connection' | 'token'>, body: object) {
  const answers = await untilNotBusy(() => deliver(connected, body));
  return (answers.at(-1) ?? answers[0]).status;
}

/** Concurrency that the emulator, with one process per invocation, can handle on two slow cores. */
const AT_ONCE = 8;

/** Delivers all bodies concurrently. @returns the statuses */
export const deliverAll = (
  connected: Pick<TestConnection, 'connection' | 'token'>,
  bodies: readonly object[],
  atOnce = AT_ONCE,
): Promise<number[]> => concurrently(atOnce, bodies, (body) => deliverUntilTaken(connected, body));

/**
 * Plans a burst of CRM-A: a fifth of the deliveries repeats an earlier lead, a tenth of the leads shares another lead's
 * phone.
 */
export function aLeadBurst(posts: number): { bodies: LeadFields[]; leads: number; phones: string[] } {
  const seed = randomInt(LEAD_NUMBERS);
  const bodies = planBurst({ posts, duplicates: 20, sharedPhones: 10, seed, owner: OWNER, at: now() });
  const phones = new Set(bodies.map(({ Phone }) => String(Phone).replace('-', '')));
  return { bodies, leads: new Set(bodies.map(({ ProspectID }) => ProspectID)).size, phones: [...phones] };
}

/** Waits for this many Activity entries. @returns them, newest first */
export const activityOf = (
  { connection }: Pick<TestConnection, 'connection'>,
  count: number,
  seconds?: number,
): Promise<StoredEntry[]> =>
  eventually(
    () => stores.activity.list(connection.connection_id),
    (entries) => entries.length >= count,
    seconds,
  );

/** Longer than the visibility time-out of an event whose worker failed. */
const REDELIVERED_AFTER_SECONDS = 185;

/**
 * Waits for a burst's Activity entries and passes time, because an event whose worker timed out is redelivered minutes
 * later.
 * @returns the entries, newest first
 */
export const activityInTime = (
  { connection }: Pick<TestConnection, 'connection'>,
  count: number,
): Promise<StoredEntry[]> =>
  inTime(
    () => stores.activity.list(connection.connection_id),
    (entries) => entries.length >= count,
    { seconds: REDELIVERED_AFTER_SECONDS, most: 5 },
  );

/** Delivers one body and waits for its entry. The connection must have no other event under way. */
export async function decided(connected: TestConnection, body: object): Promise<StoredEntry> {
  const { connection_id } = connected.connection;
  const before = await stores.activity.list(connection_id);
  const known = new Set(before.map(({ event_id }) => event_id));
  // Entries about waiting calls may appear at the same time, but do not belong to this delivery.
  const isItsOwn = ({ event_id, source }: StoredEntry) => source === 'webhook' && !known.has(event_id);
  const status = await deliverUntilTaken(connected, body);
  if (status !== 200) throw new Error(`the delivery was answered ${status}`);
  const entries = await eventually(
    () => stores.activity.list(connection_id),
    (all) => all.some(isItsOwn),
  );
  return entries.find(isItsOwn) as StoredEntry;
}

/** Queues an event, as the webhook does. */
export const queueLead = (event: LeadEvent) =>
  sqs.send(new SendMessageCommand({ QueueUrl: queueUrl('lead-events'), MessageBody: JSON.stringify(event) }));

/** Returns an event of the connection, for a lead that qualifies. */
export function aLeadEvent(
  { connection }: Pick<TestConnection, 'connection'>,
  more: Partial<LeadEvent> = {},
): LeadEvent {
  return {
    event_id: newEventId(now()),
    connection_id: connection.connection_id,
    source: 'webhook',
    event: 'new_lead',
    test: false,
    at: now().toISOString(),
    lead: { lead_id: randomUUID(), phones: [aPhoneNumber()], owner_id: OWNER, do_not_call: false, fields: {} },
    payload_keys: [],
    ...more,
  };
}

const IST_AHEAD_MS = 5.5 * 3_600_000;
const DAY_MS = 24 * 3_600_000;

/** Moves the clock to the next occurrence of this time in India. @param time `HH:MM` */
export async function passTimeUntilIst(time: string): Promise<void> {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  const sinceMidnight = (now().getTime() + IST_AHEAD_MS) % DAY_MS;
  const wanted = (hours * 60 + minutes) * 60_000;
  await passTime(((wanted - sinceMidnight + DAY_MS) % DAY_MS) / 1000);
}
