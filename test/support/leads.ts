import { randomInt, randomUUID } from 'node:crypto';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { planBurst } from '../../local/simulators/crm-a/burst-plan.ts';
import { LEAD_NUMBERS, type LeadFields } from '../../local/simulators/crm-a/payloads.ts';
import type { ActivityEntry } from '../../shared/domain/connections/activity.ts';
import type { Connection } from '../../shared/domain/connections/connection.ts';
import { newEventId } from '../../shared/domain/ids.ts';
import type { LeadEvent } from '../../shared/messages/lead-event.ts';
import { createCrmAConnection } from '../../shared/operations/connections/create-crm-a-connection.ts';
import { anOrg, stores, type TestOrg } from './orgs.ts';
import { aPhoneNumber, untilNotBusy } from './rest.ts';
import { environment, eventually, inTime, now, passTime, queueUrl, sqs, workersAreIdle } from './stack.ts';

/** The owner whose leads the test connections call. */
export const OWNER = 'a3b1c2d4-0000-4000-8000-00000000feed';

export type TestConnection = { org: TestOrg; connection: Connection; token: string };

/** An org of its own, unless given, connected to CRM-A: auto-call on, an assistant, a trigger owner. */
export async function aConnection(
  settings: Partial<Pick<Connection, 'auto_call' | 'assistant_id' | 'trigger_owner_user_id'>> = {},
  given?: TestOrg,
): Promise<TestConnection> {
  const org = given ?? (await anOrg());
  const connected = await createCrmAConnection(
    { connections: stores.connections, now },
    {
      org_id: org.orgId,
      auto_call: true,
      assistant_id: org.assistantId,
      trigger_owner_user_id: OWNER,
      ...settings,
    },
  );
  if (!connected) throw new Error('the org is connected already');
  return { org, ...connected };
}

/** A lead as LeadSquared posts it on creation: flat, every value a string or null. */
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
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
}

/** Delivers once more while the service is busy. @returns the last status. */
async function deliverUntilTaken(connected: Pick<TestConnection, 'connection' | 'token'>, body: object) {
  const answers = await untilNotBusy(() => deliver(connected, body));
  return (answers.at(-1) ?? answers[0]).status;
}

/** As many at once as the emulator, which starts a process for each, can bear on two slow cores. */
const AT_ONCE = 8;

/** Delivers all bodies, side by side. @returns the statuses. */
export async function deliverAll(
  connected: Pick<TestConnection, 'connection' | 'token'>,
  bodies: readonly object[],
  atOnce = AT_ONCE,
) {
  const statuses: number[] = [];
  const left = [...bodies];
  const sender = async () => {
    for (let body = left.shift(); body; body = left.shift()) statuses.push(await deliverUntilTaken(connected, body));
  };
  await Promise.all(Array.from({ length: atOnce }, sender));
  return statuses;
}

/** What CRM-A sends in its worst hour: a fifth of it repeats an earlier lead, a tenth of the leads has another one's phone. */
export function aLeadBurst(posts: number): { bodies: LeadFields[]; leads: number; phones: string[] } {
  const seed = randomInt(LEAD_NUMBERS);
  const bodies = planBurst({ posts, duplicates: 20, sharedPhones: 10, seed, owner: OWNER, at: now() });
  const phones = new Set(bodies.map(({ Phone }) => String(Phone).replace('-', '')));
  return { bodies, leads: new Set(bodies.map(({ ProspectID }) => ProspectID)).size, phones: [...phones] };
}

/** @returns the connection's Activity, newest first, once it has this many entries. */
export const activityOf = (
  { connection }: Pick<TestConnection, 'connection'>,
  count: number,
  seconds?: number,
): Promise<ActivityEntry[]> =>
  eventually(
    () => stores.activity.list(connection.connection_id),
    (entries) => entries.length >= count,
    seconds,
  );

/** Longer than an event is invisible whose worker failed. */
const COMES_AGAIN_SECONDS = 185;

/**
 * What becomes of a burst: an event whose worker found the cloud too slow comes again in some minutes.
 * @returns the connection's Activity, newest first, once it has this many entries.
 */
export const activityInTime = (
  { connection }: Pick<TestConnection, 'connection'>,
  count: number,
): Promise<ActivityEntry[]> =>
  inTime(
    () => stores.activity.list(connection.connection_id),
    (entries) => entries.length >= count,
    { seconds: COMES_AGAIN_SECONDS, most: 5 },
  );

/** Delivers one body and waits for what becomes of it. The connection must have no other event under way. */
export async function decided(connected: TestConnection, body: object): Promise<ActivityEntry> {
  const { connection_id } = connected.connection;
  const before = await stores.activity.list(connection_id);
  const known = new Set(before.map(({ event_id }) => event_id));
  // A call that waited may be told of at the same time; that is no entry of this delivery.
  const isItsOwn = ({ event_id, source }: ActivityEntry) => source === 'webhook' && !known.has(event_id);
  const status = await deliverUntilTaken(connected, body);
  if (status !== 200) throw new Error(`the delivery was answered ${status}`);
  const entries = await eventually(
    () => stores.activity.list(connection_id),
    (all) => all.some(isItsOwn),
  );
  return entries.find(isItsOwn) as ActivityEntry;
}

/** Puts an event on the leads queue as the webhook does. */
export const queueLead = (event: LeadEvent) =>
  sqs.send(new SendMessageCommand({ QueueUrl: queueUrl('leads'), MessageBody: JSON.stringify(event) }));

/** An event of the connection, for a lead that can be called. */
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

/** Moves the clock on to the next time that a clock in India shows this. @param time `HH:MM`. */
export async function passTimeUntilIst(time: string): Promise<void> {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  const sinceMidnight = (now().getTime() + IST_AHEAD_MS) % DAY_MS;
  const wanted = (hours * 60 + minutes) * 60_000;
  await passTime(((wanted - sinceMidnight + DAY_MS) % DAY_MS) / 1000);
}

/** What `work` places is not dialed before it is over. The calls are sent to be dialed then. */
export async function whileDialingIsPaused(work: () => Promise<string[]>): Promise<void> {
  await stores.slots.pause(now().toISOString());
  let callIds: string[];
  try {
    callIds = await work();
    // Their dial messages find the stage paused, and no worker goes on by what it read before.
    await workersAreIdle();
  } finally {
    await stores.slots.resume();
  }
  for (const call_id of callIds)
    await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl('dial'), MessageBody: JSON.stringify({ call_id }) }));
}
