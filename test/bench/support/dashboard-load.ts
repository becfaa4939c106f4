import { ListEventSourceMappingsCommand, UpdateEventSourceMappingCommand } from '@aws-sdk/client-lambda';
import { listAssistants } from '../../../shared/messages/dashboard/assistants.ts';
import { listCalls, showCall } from '../../../shared/messages/dashboard/calls.ts';
import { listCreditEntries } from '../../../shared/messages/dashboard/credit.ts';
import { listDoNotCall } from '../../../shared/messages/dashboard/do-not-call.ts';
import { listKeys } from '../../../shared/messages/dashboard/keys.ts';
import { explainLead, listLeadEvents } from '../../../shared/messages/dashboard/leads.ts';
import { showOverview } from '../../../shared/messages/dashboard/overview.ts';
import { listAuditEntries, listMembers } from '../../../shared/messages/dashboard/people.ts';
import { aGrantedConnection } from '../../support/connections/crm-b.ts';
import { acting, aMember, type Person } from '../../support/dashboard/dashboard.ts';
import { aConnection } from '../../support/leads/leads.ts';
import { crowd, phoneOf } from '../../support/organizations/crowded-org.ts';
import { anOrg } from '../../support/organizations/orgs.ts';
import { request } from '../../support/rest/rest.ts';
import { lambda, named } from '../../support/stack/stack.ts';
import { measurePages } from './dashboard-pages.ts';
import { quantile } from './quantile.ts';
import { timed } from './timed.ts';

const CALLS = 10_000;
const EVENTS = 10_000;
const NUMBERS = 5_000;
const DAYS = 85;
const ROUNDS = 15;
const WARM_UP = 2;
const LIST_MS = 300;
const SLICE_MS = 1_000;
/** A path without a route, which is answered with 404. */
const FLOOR = 'floor (no read)';
type Send = () => Promise<{ status: number; body: Record<string, unknown> }>;

/** Stops the stream of the calls table, whose worker would read 10,000 changes during the measurements. */
async function pauseStream(): Promise<void> {
  const FunctionName = named.function('publish-call-events');
  const { EventSourceMappings = [] } = await lambda.send(new ListEventSourceMappingsCommand({ FunctionName }));
  for (const { UUID } of EventSourceMappings)
    await lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled: false }));
}

/** Prints the measurements. @returns whether every figure is within its limit */
export async function measureDashboard(): Promise<boolean> {
  await pauseStream();
  const org = await anOrg({ credits: 1_000_000, limits: { max_live_calls: 0 } });
  const owner = await aMember(org, 'owner', 'Priya Nair');
  const { connection: a } = await aConnection({}, org);
  const b = await aGrantedConnection(org);
  const started = performance.now();
  const calls = await crowd(org, {
    calls: CALLS,
    events: EVENTS,
    numbers: NUMBERS,
    days: DAYS,
    connections: [
      { crm: 'crm-a', connection_id: a.connection_id, owner_id: a.trigger_owner_user_id ?? '' },
      { crm: 'crm-b', connection_id: b.connectionId, owner_id: b.ownerId },
    ],
  });
  console.log(
    `${CALLS} calls, ${EVENTS} lead events, ${NUMBERS} numbers; written in ${((performance.now() - started) / 1000).toFixed(0)} s`,
  );
  const isFast = await measureRoutes(owner, calls[0]?.call_id ?? '');
  const areSlicesShort = await measureSlices(owner);
  const arePagesFast = await measurePages(owner, {
    call: calls[0]?.call_id ?? '',
    assistant: org.assistantId,
    connections: [a.connection_id, b.connectionId],
  });
  return isFast && areSlicesShort && arePagesFast;
}

async function measureRoutes(owner: Person, callId: string): Promise<boolean> {
  const ask = await acting(owner);
  const routes: Record<string, Send> = {
    [FLOOR]: () => request('GET', '/v1/nowhere'),
    calls: () => ask(listCalls, { query: '?limit=50' }),
    'calls by phone': () => ask(listCalls, { query: `?q=${encodeURIComponent(phoneOf(4_321))}` }),
    'calls, counted': () => ask(listCalls, { query: '?counts=true&limit=1' }),
    'one call': () => ask(showCall, {}, { id: callId }),
    'lead events': () => ask(listLeadEvents, { query: '?limit=50' }),
    'lead events, counted': () => ask(listLeadEvents, { query: '?count=true' }),
    'why not called': () => ask(explainLead, { query: `?q=${encodeURIComponent(phoneOf(1))}` }),
    'do not call': () => ask(listDoNotCall, { query: '?limit=50' }),
    ledger: () => ask(listCreditEntries, { query: '?limit=50' }),
    'audit log': () => ask(listAuditEntries, { query: '?limit=50' }),
    assistants: () => ask(listAssistants, { query: '?limit=50' }),
    keys: () => ask(listKeys, { query: '?limit=50' }),
    members: () => ask(listMembers, { query: '?limit=50' }),
    overview: () => ask(showOverview, { query: '?days=90' }),
  };
  const times = new Map(Object.keys(routes).map((name) => [name, [] as number[]]));
  for (let round = -WARM_UP; round < ROUNDS; round += 1)
    for (const [name, send] of Object.entries(routes)) {
      const [taken, { status, body }] = await timed(send);
      if (status !== (name === FLOOR ? 404 : 200))
        throw new Error(`${name} was answered ${status}: ${JSON.stringify(body)}`);
      if (round >= 0) times.get(name)?.push(taken);
    }
  const floor = quantile(times.get(FLOOR) ?? [], 0.5);
  console.log(`\n${ROUNDS} requests each, in turns; milliseconds, the median against the floor's, limit ${LIST_MS}`);
  let isFast = true;
  for (const [name, values] of times) {
    const [p50, p95] = [quantile(values, 0.5), quantile(values, 0.95)];
    const isSlow = p50 > LIST_MS;
    if (isSlow) isFast = false;
    console.log(
      `${name.padEnd(22)} p50 ${p50.toFixed(0).padStart(5)}  p95 ${p95.toFixed(0).padStart(5)}  ratio ${(p50 / floor).toFixed(2).padStart(6)}${isSlow ? '  TOO SLOW' : ''}`,
    );
  }
  return isFast;
}

/** Follows a filter without matches to the end of the list. */
async function measureSlices(owner: Person): Promise<boolean> {
  const ask = await acting(owner);
  const lists = [
    ['calls', listCalls, 'source=dashboard&limit=50'],
    ['lead events', listLeadEvents, 'outcome=platform_unreachable&limit=50'],
  ] as const;
  console.log(`\nA filter that matches nothing; milliseconds, limit ${SLICE_MS}`);
  let isFast = true;
  for (const [name, route, filter] of lists) {
    const slices: number[] = [];
    for (let next: unknown = ''; next !== null && next !== undefined; ) {
      const query = `?${filter}${next ? `&next=${encodeURIComponent(String(next))}` : ''}`;
      const started = performance.now();
      const { status, body } = await ask(route, { query });
      if (status !== 200 || (body.items as unknown[]).length > 0) throw new Error(`${name}: ${status}`);
      slices.push(performance.now() - started);
      next = body.next;
    }
    const longest = Math.max(...slices);
    if (longest > SLICE_MS) isFast = false;
    console.log(
      `${name.padEnd(22)} ${slices.length} slices, p50 ${quantile(slices, 0.5).toFixed(0)}, longest ${longest.toFixed(0)}`,
    );
  }
  return isFast;
}
