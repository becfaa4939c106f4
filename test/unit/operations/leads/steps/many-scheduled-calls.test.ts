import { callIdForLead } from '../../../../../shared/domain/ids.ts';
import type { SwitchOff } from '../../../../../shared/messages/switch-off.ts';
import { cancelCallsOfConnection } from '../../../../../shared/operations/leads/cancel-calls-of-connection.ts';
import { reportSwitchOff } from '../../../../../shared/operations/leads/report-switch-off.ts';
import { placeLeadCall } from '../../../../../shared/operations/leads/steps/place-lead-call.ts';
import { anAssistant, anOrg, CREDIT, ist, ORG, TUESDAY } from '../../../support/worlds/items.ts';
import {
  aCallingConnection,
  CONNECTION,
  expectBooks,
  leadWorld,
  NIGHT,
  namedOnly,
  OPENS,
} from '../../../support/worlds/lead-world.ts';

const CALLS = 2_000;
/** Every eleventh call belongs to another organization, whose calls are between the others in the index. */
const ALL_CALLS = 2_200;
const OTHER = { connection_id: 'conn_2', org_id: 'org2' };
/** The index entries that a message reads (docs/call-lifecycle.md, "Switching off"). */
const PAGE = 200;
/** After this many deliveries, a message is a dead letter. */
const MOST_DELIVERIES = 5;
const OFF = { auto_call: false };

/** Calls of Monday night that wait for Tuesday's opening, and the queue of their cancellation. */
async function manyScheduledCalls() {
  const parties = [
    { connection: aCallingConnection(), org: anOrg(), assistant: anAssistant() },
    {
      connection: aCallingConnection({ ...OTHER, assistant_id: 'asst_2' }),
      org: anOrg({ org_id: OTHER.org_id }),
      assistant: anAssistant({ assistant_id: 'asst_2', org_id: OTHER.org_id }),
    },
  ] as const;
  const world = leadWorld(
    {
      connections: parties.map(({ connection }) => connection),
      organizations: parties.map(({ org }) => org),
      assistants: parties.map(({ assistant }) => assistant),
    },
    undefined,
    // Larger than a page of the operation.
    { pageItems: 1_000 },
  );
  world.now = NIGHT;
  const opening = { from: new Date(OPENS), to: new Date(ist(TUESDAY, '21:00')) };
  for (let index = 0; index < ALL_CALLS; index += 1) {
    const { connection, org, assistant } = parties[index % 11 === 5 ? 1 : 0];
    const { connection_id } = connection;
    const lead = namedOnly(String(1001 + index));
    const event = { ...world.event({ event_id: `evt_${index}`, connection_id, lead }), read_at: NIGHT };
    const callId = callIdForLead(connection_id, event.event_id);
    const callee = { leadId: String(lead.lead_id), phone: `+9198765${41_001 + index}`, assistant };
    const scheduled = { kind: 'scheduled' as const, opening, ...callee };
    await placeLeadCall(
      world.deps,
      event,
      { connection, org, callId, canceledAt: undefined },
      scheduled,
      new Date(NIGHT),
    );
  }
  const claimsOfOther = world.claims().filter((claim) => /#(conn_2|org2)#/.test(claim));
  expect([world.claims().length, claimsOfOther.length]).toEqual([2 * ALL_CALLS, 2 * (ALL_CALLS - CALLS)]);

  const { sent } = world.deps.switchOffs;
  const canceled = () => world.all('calls').filter(({ status }) => status === 'canceled').length;
  return Object.assign(world, {
    /** Takes messages from the queue until it is empty. @returns the number of calls that each of them canceled */
    takeAll: async (take: (message: SwitchOff) => Promise<unknown>) => {
      const counts: number[] = [];
      for (let next = sent.shift(); next; next = sent.shift()) {
        const before = canceled();
        await take(next.message);
        counts.push(canceled() - before);
      }
      return counts;
    },
    expectCanceled: () => {
      const ofOrg = (org: string) => world.calls().filter(({ org_id }) => org_id === org);
      const end = { status: 'canceled', ended_reason: 'auto_call_disabled', cost: 0 };
      expect(ofOrg(ORG)).toMatchObject(Array(CALLS).fill(end));
      expect(ofOrg(OTHER.org_id)).toMatchObject(Array(ALL_CALLS - CALLS).fill({ status: 'scheduled' }));
      expect(world.claims()).toEqual(claimsOfOther);
      expect([world.credit(), world.ledger()]).toEqual([{ available: CREDIT, held: 0 }, []]);
      expect(world.entries()).toMatchObject(Array(CALLS).fill({ source: 'release', outcome: 'auto_call_disabled' }));
      expectBooks(world);
    },
  });
}

describe('two thousand scheduled calls of a connection that is switched off', () => {
  it('are canceled by messages of at most 200 calls each, after the stream has sent one message', async () => {
    const world = await manyScheduledCalls();
    const { sent } = world.deps.switchOffs;
    const off = world.connectionChange({ grant: undefined });
    world.requests.length = 0;
    await reportSwitchOff(world.deps, [off, { ...off, sequenceNumber: '2' }]);
    expect(world.requests).toEqual([]);
    expect(sent.map(({ message }) => message)).toEqual([{ connection_id: CONNECTION }]);
    const counts = await world.takeAll(async (message) => {
      await cancelCallsOfConnection(world.deps, message);
      expect(sent.length).toBeLessThanOrEqual(1);
    });
    expect(Math.max(...counts)).toBeLessThanOrEqual(PAGE);
    // The first two messages find neither waiting calls nor calls with a slot.
    expect(counts).toHaveLength(2 + ALL_CALLS / PAGE);
    world.expectCanceled();
  });

  it('are all canceled once, although workers die, reads and writes fail, and two workers get a message', async () => {
    const world = await manyScheduledCalls();
    const { sent } = world.deps.switchOffs;
    const again = (message: SwitchOff) => sent.push({ message, delay: 0, due: world.ms });
    const cancel = (message: SwitchOff) => cancelCallsOfConnection(world.deps, message);
    const faults: ((message: SwitchOff) => Promise<unknown>)[] = [
      // Before the page is read, within it, and near its end.
      ...[2, 250, 540].map((at) => async (message: SwitchOff) => {
        expect(await world.dying({ at, moment: 'after' }, () => cancel(message))).toBe(true);
        again(message);
      }),
      async (message) => {
        world.hooks.before = (operation) => {
          if (operation !== 'Query') return;
          delete world.hooks.before;
          throw new Error('throttled');
        };
        await expect(cancel(message)).rejects.toThrow('throttled');
        again(message);
      },
      async (message) => {
        let writes = 0;
        world.hooks.before = (operation) => {
          if (operation !== 'TransactWrite') return;
          writes += 1;
          if (writes % 10 === 0) throw new Error('throttled');
        };
        await cancel(message);
        // A message for each of these calls, and one for the next page.
        expect(sent).toHaveLength(Math.floor(writes / 10) + 1);
      },
      (message) => Promise.all([cancel(message), cancel(message)]),
    ];
    const deliveries = new Map<string, number>();
    await reportSwitchOff(world.deps, [world.connectionChange(OFF)]);
    const counts = await world.takeAll(async (message) => {
      const key = JSON.stringify(message);
      const delivery = (deliveries.get(key) ?? 0) + 1;
      deliveries.set(key, delivery);
      const fault = message.work === 'scheduled' && delivery === 1 ? faults.shift() : undefined;
      await (fault ?? cancel)(message);
      delete world.hooks.before;
    });
    expect(faults).toEqual([]);
    expect(Math.max(...counts)).toBeLessThanOrEqual(PAGE);
    expect(Math.max(...deliveries.values())).toBeLessThan(MOST_DELIVERIES);
    world.expectCanceled();
  });
});
