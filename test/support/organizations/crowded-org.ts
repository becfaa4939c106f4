import { randomUUID } from 'node:crypto';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { AnalysisResult } from '../../../shared/domain/calls/analysis.ts';
import type { Call } from '../../../shared/domain/calls/call.ts';
import type { TerminalStatus } from '../../../shared/domain/calls/call-status.ts';
import { sumOfUsage, usageOfAnalysis, usageOfEnd } from '../../../shared/domain/calls/usage/usage.ts';
import { type ActivityEntry, activityExpiry, type Outcome } from '../../../shared/domain/connections/activity.ts';
import { phoneHash } from '../../../shared/domain/connections/phone-hash.ts';
import { callIdFor, newEventId } from '../../../shared/domain/ids.ts';
import { holdEntry, settlementEntry } from '../../../shared/domain/organizations/ledger-entry.ts';
import { istDay } from '../../../shared/domain/time/ist-day.ts';
import type { Write } from '../../../shared/stores/dynamodb/transaction.ts';
import { concurrently, db, named, now } from '../stack/stack.ts';
import { stores, type TestOrg } from './orgs.ts';

const BATCH = 25; // DynamoDB, BatchWriteItem
const AT_ONCE = 8;
const RATE = 1_000;
const DAY_MS = 86_400_000;
const CLIENT = 'https://client.example/hooks/calls';

/** Puts the items of these writes without their conditions, because a transaction for each would take minutes. */
async function putAll(writes: readonly Write[]): Promise<void> {
  const puts = writes.flatMap(({ Put }) => Put ?? []);
  const batches = Array.from({ length: Math.ceil(puts.length / BATCH) }, (_, index) =>
    puts.slice(index * BATCH, (index + 1) * BATCH),
  );
  await concurrently(AT_ONCE, batches, async (batch) => {
    const byTable = Map.groupBy(batch, ({ TableName = '' }) => TableName);
    const RequestItems = Object.fromEntries(
      [...byTable].map(([table, ofTable]) => [table, ofTable.map(({ Item }) => ({ PutRequest: { Item } }))]),
    );
    const { UnprocessedItems = {} } = await db.send(new BatchWriteCommand({ RequestItems }));
    if (Object.keys(UnprocessedItems).length > 0) throw new Error('the emulator left items unwritten');
  });
}

/** Returns the phone number of the nth person. The numbers repeat after 80 million. */
export const phoneOf = (index: number): string => `+9198${String(20_000_000 + ((index * 7_919) % 79_999_999))}`;

const ends: readonly TerminalStatus[] = [
  'completed',
  'completed',
  'no_answer',
  'completed',
  'busy',
  'completed',
  'transferred',
  'completed',
  'failed',
  'completed',
  'canceled',
  'no_answer',
];

const reasons: Readonly<Partial<Record<TerminalStatus, string>>> = {
  completed: 'customer-ended-call',
  no_answer: 'customer-did-not-answer',
  busy: 'customer-busy',
  failed: 'platform_error',
  canceled: 'canceled_by_member',
};

const found: readonly Pick<AnalysisResult, 'summary' | 'success_eval' | 'sentiment' | 'lead_intent'>[] = [
  {
    summary: 'Wants to see the two-room flat in Kharadi on Saturday. A visit at eleven was agreed.',
    success_eval: 'success',
    sentiment: 'positive',
    lead_intent: 'callback',
  },
  {
    summary: 'Is still comparing offers and asked for the price list by e-mail.',
    success_eval: 'partial',
    sentiment: 'neutral',
    lead_intent: 'information',
  },
  {
    summary: 'Has already bought a flat elsewhere and needs nothing more.',
    success_eval: 'failure',
    sentiment: 'negative',
    lead_intent: 'not_interested',
  },
];

type Crm = { crm: 'crm-a' | 'crm-b'; connection_id: string; owner_id: string };

type Crowd = {
  calls: number;
  /** Lead events, shared among the connections. */
  events: number;
  /** Entries of the do-not-call list. */
  numbers: number;
  connections: readonly Crm[];
  /** The days over which the calls and events are spread. */
  days: number;
  /** The assistant of the calls; by default the organization's only one. */
  assistants?: readonly { id: string; name: string }[];
};

/** Gives an organization a history: calls, ledger, usage, lead events, numbers. */
export async function crowd(org: TestOrg, wanted: Crowd): Promise<Call[]> {
  const calls = Array.from({ length: wanted.calls }, (_, index) => pastCall(org, wanted, index));
  const list = <T>(count: number, make: (index: number) => T) =>
    Array.from({ length: count }, (_, index) => make(index));
  await putAll(calls.map((call) => stores.calls.creation(call)));
  await putAll(calls.flatMap(ledgerOf));
  await putAll(usageOf(org, calls));
  await putAll(list(wanted.events, (index) => stores.activity.adding(pastEvent(org, wanted, calls, index))));
  await putAll(list(wanted.numbers, (index) => stores.doNotCall.adding(listed(org, wanted, calls, index))));
  return calls;
}

const agoBy = (days: number): string => new Date(now().getTime() - days * DAY_MS).toISOString();

function pastCall({ orgId: org_id, assistantId }: TestOrg, wanted: Crowd, index: number): Call {
  const { calls, days, connections } = wanted;
  const status = ends[index % ends.length] as TerminalStatus;
  // The first calls are the newest.
  const created_at = agoBy(((index + 0.5) / calls) * days);
  const after = (seconds: number) => new Date(Date.parse(created_at) + seconds * 1000).toISOString();
  const isTalk = status === 'completed' || status === 'transferred';
  const duration = isTalk ? 20 + ((index * 37) % 290) : 0;
  const call_id = callIdFor(org_id, randomUUID());
  const assistants = wanted.assistants ?? [{ id: assistantId, name: 'Asha' }];
  const assistant = assistants[index % 3 === 0 ? index % assistants.length : 0];
  const crm = index % 4 < 2 ? connections[index % 2] : undefined;
  const result = found[index % found.length];
  const ended_at = after(12 + duration);
  return {
    call_id,
    org_id,
    request_id: call_id,
    status,
    phone_number: phoneOf(index),
    assistant_id: assistant?.id ?? assistantId,
    assistant_name: assistant?.name ?? 'Asha',
    request_metadata: crm ? {} : { name: 'Meera Iyer', order: `ORD-${1_000 + index}` },
    // No notification is sent: the stream publishes no events of a call that is created after its end.
    ...(!crm &&
      index % 4 === 3 && { callback_url: CLIENT, callback_status: index % 20 === 3 ? 'failed' : 'delivered' }),
    ...(crm && {
      lead: { ...leadOf(crm, index), event_id: newEventId(new Date(created_at)), test: false, fields: {} },
    }),
    created_at,
    progress_at: ended_at,
    rate: RATE,
    max_duration_seconds: 600,
    held: 0,
    dial_by: after(900),
    dial_after: created_at,
    attempts: status === 'canceled' ? 0 : 1,
    ...(isTalk && { started_at: after(9) }),
    ended_at,
    ...(reasons[status] && { ended_reason: reasons[status] }),
    duration,
    cost: Math.ceil(duration / 60) * RATE,
    usage_day: istDay(new Date(ended_at)),
    recording: { state: 'none' },
    analysis:
      isTalk && result
        ? { state: 'done', result: { ...result, structured_data: {}, issue_summary: null, do_not_call: false } }
        : { state: 'none', error: 'nobody answered' },
    finished_at: after(40 + duration),
  };
}

const leadOf = ({ crm, connection_id, owner_id }: Crm, index: number) => ({
  crm,
  connection_id,
  lead_id: crm === 'crm-b' ? String(554_000_000_200_000 + index) : `e846bb34-${String(index).padStart(8, '0')}`,
  owner_id,
  event: index % 5 === 0 ? ('lead_edited' as const) : ('new_lead' as const),
});

const HELD = 10 * RATE;

function ledgerOf(call: Call): Write[] {
  const hold = holdEntry(call, HELD, call.created_at);
  const settlement = settlementEntry(call, { held: HELD, cost: call.cost ?? 0 }, call.ended_at ?? call.created_at);
  return [hold, settlement].map((entry) => stores.ledger.adding(entry));
}

/** Returns the writes of the days' counters, as the ends of these calls would have summed them. */
function usageOf({ orgId: org_id }: TestOrg, calls: readonly Call[]): Write[] {
  const counted = calls.map((call) => ({
    day: call.usage_day ?? '',
    counts: {
      ...usageOfEnd({
        status: call.status as TerminalStatus,
        duration: call.duration ?? 0,
        cost: call.cost ?? 0,
      } as never),
      ...usageOfAnalysis(call, call.analysis?.result)?.counts,
    },
  }));
  return [...Map.groupBy(counted, ({ day }) => day)].map(([day, ofDay]) => ({
    Put: {
      TableName: named.table('usage'),
      Item: { org_id, day: `${day}#0`, ...sumOfUsage(ofDay.map(({ counts }) => counts)) },
    },
  }));
}

const outcomesOfPast: readonly [Outcome, reason: string][] = [
  ['call queued', 'The lead qualifies.'],
  ['owner_mismatch', 'The lead belongs to another owner.'],
  ['call queued', 'The lead qualifies.'],
  ['already_called', 'The lead was already called on that day.'],
  ['call queued', 'The lead qualifies.'],
  ['no_dialable_phone', 'None of its phone numbers can be dialed: Phone "12345".'],
  ['do_not_call', 'The number is on the do-not-call list.'],
  ['insufficient_credits', 'The credit does not cover the call.'],
  ['call scheduled', 'The call window is closed.'],
  ['crm_unavailable', 'CRM-B did not answer.'],
  ['ignored', 'The message is about no lead.'],
];

function pastEvent({ orgId: org_id }: TestOrg, wanted: Crowd, calls: readonly Call[], index: number): ActivityEntry {
  const { events, days, connections } = wanted;
  const crm = connections[index % connections.length] as Crm;
  const at = agoBy(((index + 0.5) / events) * days);
  const [outcome, reason] = outcomesOfPast[index % outcomesOfPast.length] as [Outcome, string];
  const phone = phoneOf(index);
  const call = calls[index]?.lead?.connection_id === crm.connection_id ? calls[index] : undefined;
  const lead = leadOf(crm, index);
  return {
    connection_id: crm.connection_id,
    event_id: newEventId(new Date(at)),
    org_id,
    at,
    source: index % 9 === 4 ? 'catch-up' : 'webhook',
    event: lead.event,
    test: index % 25 === 5,
    lead_id: lead.lead_id,
    phone_masked: `+91*******${phone.slice(-3)}`,
    phone_hash: phoneHash(org_id, phone),
    owner_id: outcome === 'owner_mismatch' ? 'R. Das' : crm.owner_id,
    outcome,
    reason,
    ...(outcome === 'call queued' && call && { call_id: call.call_id }),
    payload_keys:
      crm.crm === 'crm-a' ? ['ProspectID', 'FirstName', 'Phone', 'OwnerId'] : ['ids', 'module', 'operation'],
    expires_at: activityExpiry(at),
  };
}

const listed = ({ orgId: org_id }: TestOrg, wanted: Crowd, calls: readonly Call[], index: number) => {
  const call = index % 3 === 0 ? calls[index] : undefined;
  return {
    org_id,
    phone: phoneOf(index * 3 + 1),
    added_at: agoBy(((index + 0.5) / wanted.numbers) * wanted.days),
    ...(call ? { call_id: call.call_id } : { added_by: 'priya@lakeview.example' }),
  };
};
