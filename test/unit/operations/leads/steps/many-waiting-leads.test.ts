import type { Connection } from '../../../../../shared/domain/connections/connection.ts';
import { secondsAfter, secondsBetween } from '../../../../../shared/domain/time/instants.ts';
import type { LeadEvent } from '../../../../../shared/messages/lead-event.ts';
import { crowd } from '../../../support/crowd.ts';
import { CHANNEL, channelCheck, type LeadChange } from '../../../support/worlds/channel-check.ts';
import { anAssistant, anOrg, ist, MONDAY } from '../../../support/worlds/items.ts';
import {
  aCallingConnection,
  CONNECTION,
  found,
  leadWorld,
  namedOnly,
  unavailable,
} from '../../../support/worlds/lead-world.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const OTHER = 'conn_2';
/** The workers of process-lead, and the time-out of a request (lib/functions.ts, docs/settings.md). */
const WORKERS = 7;
const TIME_OUT_SECONDS = 10;
const ANSWER_SECONDS = 0.2;

const OUTAGE = 6 * HOUR;
/** Every worker may send a request before each of the five failures is counted that open the breaker. */
const MOST_TO_OPEN = 5 * WORKERS;
/** After 1 minute, 2 and 4, then every 5 minutes. */
const MOST_PROBES = 3 + Math.ceil((OUTAGE - 7 * MINUTE) / (5 * MINUTE));

/** The leads of two connections, on one queue. The CRM of the first connection is down. */
function anOutage() {
  const ofCrmB = { settings: {}, channel: CHANNEL };
  const world = leadWorld({
    connections: [
      aCallingConnection(ofCrmB),
      aCallingConnection({ ...ofCrmB, connection_id: OTHER, org_id: 'org2', assistant_id: 'asst_2' }),
    ],
    organizations: [anOrg(), anOrg({ org_id: 'org2' })],
    assistants: [anAssistant(), anAssistant({ assistant_id: 'asst_2', org_id: 'org2' })],
  });
  world.now = ist(MONDAY, '10:00');
  const state = { isDown: true, deliveries: 0 };
  const changes: Record<string, LeadChange[]> = { [CONNECTION]: [], [OTHER]: [] };
  const requests: { connection_id: string; leadId: string; at: string }[] = [];
  const isDown = (connectionId: string) => state.isDown && connectionId === CONNECTION;
  const workers: ReturnType<typeof crowd<LeadEvent>> = crowd<LeadEvent>({
    get ms() {
      return world.ms;
    },
    pass: world.pass,
    waiting: () => world.leadQueue.sent.map(({ due }) => due),
    due: world.leadQueue.due,
    deliver: (event) => {
      state.deliveries += 1;
      return world.process(event);
    },
    together: WORKERS,
  });
  world.deps.fetchLead = ({ connection_id }, leadId) => {
    requests.push({ connection_id, leadId, at: world.now });
    return isDown(connection_id)
      ? workers.hang(unavailable('no answer in time'), TIME_OUT_SECONDS)
      : workers.hang(found({ lead_id: leadId, phones: [`98765 4${leadId}`] }), ANSWER_SECONDS);
  };
  const check = channelCheck(world, { isDown, changesOf: (connectionId) => changes[connectionId] ?? [] });
  return Object.assign(world, {
    state,
    requestsTo: (connectionId: string) => requests.filter(({ connection_id }) => connection_id === connectionId),
    /** Changes a lead in CRM-B after some seconds, whose notification arrives. @returns when */
    notify: (connection_id: string, id: string, seconds: number): string => {
      const at = secondsAfter(world.now, seconds);
      changes[connection_id]?.push({ id, created_at: at, modified_at: at });
      const message = world.event({ event_id: `evt_${connection_id}_${id}`, connection_id, at, lead: namedOnly(id) });
      world.leadQueue.sent.push({ message, delay: 0, due: Date.parse(at) });
      return at;
    },
    /** Lets all workers work. Every 15 minutes, the channels are checked, which deliver. */
    work: async (seconds: number) => {
      for (let left = seconds; left > 0; left -= 15 * MINUTE) {
        await workers.work(WORKERS, 15 * MINUTE);
        for (const row of world.all('connections') as Connection[])
          world.put('connections', { ...row, last_delivery_at: world.now });
        await check();
      }
    },
    leadsQueued: (connectionId: string) =>
      world
        .entries()
        .flatMap((entry) =>
          entry.connection_id === connectionId && entry.outcome === 'call queued' ? entry.lead_id : [],
        ),
    leadsCalled: (connectionId: string) =>
      world.calls().flatMap(({ lead }) => (lead?.connection_id === connectionId ? lead.lead_id : [])),
  });
}

const ids = (count: number) => Array.from({ length: count }, (_, index) => String(1001 + index));

describe('a CRM-B that is down for six hours, with two thousand leads', () => {
  it('gets some requests an hour, then about one for each lead, and delays no other connection', async () => {
    const world = anOutage();
    // An import, and the leads of the day.
    const [leads, imported] = [ids(2_000), 1_500];
    const gap = OUTAGE / (leads.length - imported);
    for (const [index, id] of leads.entries()) world.notify(CONNECTION, id, Math.max(0, index - imported) * gap);
    const others = ids(36);
    const arrivals = others.map((id, index) => world.notify(OTHER, id, 1 + index * 10 * MINUTE));

    await world.work(OUTAGE);
    const during = world.requestsTo(CONNECTION).length;
    expect(during).toBeLessThanOrEqual(MOST_TO_OPEN + MOST_PROBES);
    // The messages of the import returned with their delays, and mostly sent no request.
    expect(world.state.deliveries).toBeGreaterThan(7 * imported);
    expect([world.leadsQueued(CONNECTION), world.leadsCalled(CONNECTION)]).toEqual([[], []]);

    expect(world.requestsTo(OTHER).map(({ leadId }) => leadId)).toEqual(others);
    const fetched = world.requestsTo(OTHER).map(({ at }, index) => secondsBetween(arrivals[index] ?? '', at));
    const [first = 0, ...later] = fetched;
    // The breaker is still closed. On AWS, fair queues also prevent this wait.
    expect(first).toBeLessThanOrEqual(5 * TIME_OUT_SECONDS);
    expect(later).toEqual(Array(35).fill(0));
    expect(world.leadsCalled(OTHER).toSorted()).toEqual(others);

    world.state.isDown = false;
    await world.work(2 * HOUR);
    expect(world.leadsCalled(CONNECTION).toSorted()).toEqual(leads);
    expect(world.leadsQueued(CONNECTION).toSorted()).toEqual(leads);
    // A lead that waited at that moment is also in the catch-up.
    expect(world.requestsTo(CONNECTION).length - during).toBeLessThanOrEqual(1.01 * leads.length);
    expect([world.leadQueue.sent, world.counted]).toEqual([[], []]);
  });
});
