import type { EndReport } from '../../../shared/domain/calls/platform-message.ts';
import type { MetricName } from '../../../shared/domain/metric.ts';
import { holdEntry, settlementEntry } from '../../../shared/domain/organizations/ledger-entry.ts';
import { dialCall } from '../../../shared/operations/calls/dial-call.ts';
import { aClaimedCall } from '../support/call.ts';
import { aReport, CALL, callWorld } from '../support/call-world.ts';
import { anEndedCall } from '../support/ended-call.ts';
import { anAssistant, MONDAY, ORG } from '../support/items.ts';
import { anArmedConnection, check } from '../support/watched-connection.ts';

type Counting = { counted: string[] };
/** A case that rings an alarm, the neighbouring case that must not, and how each is run. */
type Alarm<World extends Counting> = [
  metric: MetricName,
  rings: string,
  isSilent: string,
  run: (rings: boolean) => Promise<World>,
];

const known = aClaimedCall({ platform_id: 'p1', status: 'in_progress' });
const reported = async (call = aClaimedCall(), report: Partial<EndReport> = {}) => {
  const world = callWorld([call]);
  await world.apply(aReport(report));
  return world;
};
/** Recovers a dialed call after some minutes. */
const recovered = async (call: typeof known, change: object) => {
  const world = Object.assign(callWorld([call]), change);
  world.pass(300);
  await world.recover();
  return world;
};
/** Finishes an ended call without an answer of the model. @param minutes since its end */
const notAnalyzed = async (minutes: number, isOperatorFault = false) => {
  const world = anEndedCall({ recording: { state: 'none' } });
  world.answer({ kind: 'unavailable', reason: 'x', isOperatorFault });
  world.pass(minutes * 60);
  await world.finish();
  return world;
};
/** Ends a call of an organization that used so many units in this hour, and 240,000 on each of the 7 days before. */
const spentInAnHour = async (units: number) => {
  const world = callWorld([aClaimedCall({ platform_id: 'p1', status: 'in_progress' })], { org: { max_live_calls: 0 } });
  const days = ['02-23', '02-24', '02-25', '02-26', '02-27', '02-28', '03-01'].map((day) => `2026-${day}`);
  for (const day of days) world.put('usage', { org_id: ORG, day: `${day}#1`, completed: 9, units: 240_000 });
  world.put('usage', { org_id: ORG, day: `${MONDAY}#1`, completed: 9, units: 500_000 });
  const of = (call_id: string) => ({ org_id: ORG, call_id });
  const charged = (call_id: string, cost: number, at: string) => settlementEntry(of(call_id), { held: 0, cost }, at);
  world.put('credit-ledger', charged('call_a', units - 40_000, '2026-03-02T05:30:00.000Z'));
  world.put('credit-ledger', charged('call_b', 40_000, '2026-03-02T05:59:00.000Z'));
  // Neither is spent within the hour.
  world.put('credit-ledger', charged('call_c', 200_000, '2026-03-02T04:59:59.000Z'));
  world.put('credit-ledger', holdEntry(of('call_d'), 500_000, '2026-03-02T05:59:30.000Z'));
  await world.recover();
  return world;
};
const document = { id: 'k', filename: 'prices.pdf', path: 'knowledge/k.txt', textPreview: '', uploadedAt: '' };

const alarms: Alarm<Counting>[] = [
  [
    'DoubleDial',
    'the platform reports another id than the call has',
    'it reports the id of the call',
    (rings) => reported(aClaimedCall({ platform_id: rings ? 'p2' : 'p1' })),
  ],
  [
    'DialOperatorFault',
    'a report proves that nothing rang because of the account',
    'a report proves that nothing rang for another reason',
    (is_account_fault) => reported(aClaimedCall(), { outcome: 'not_dialed', is_account_fault }),
  ],
  [
    'DialOperatorFault',
    'the platform refuses the lookup of a dial because of the account',
    'the platform cannot answer the lookup',
    (isOperatorFault) => recovered(aClaimedCall(), { lookup: { kind: 'unknown', reason: 'x', isOperatorFault } }),
  ],
  [
    'DialOperatorFault',
    'the platform refuses to return its record because of the account',
    'the platform cannot return its record',
    (isOperatorFault) => recovered(known, { record: { kind: 'unknown', reason: 'x', isOperatorFault } }),
  ],
  [
    'UnitsBeyondHold',
    'a call costs more than its hold',
    'a call costs exactly its hold',
    (rings) => reported(aClaimedCall({ held: rings ? 1_999 : 2_000 })),
  ],
  [
    'CallLost',
    'a call is ended at its deadline',
    'the report ends it while it is looked up',
    async (rings) => {
      const world = callWorld([known]);
      world.pass(known.max_duration_seconds + 3_600 + 1);
      world.deps.voice.read = async () => {
        if (!rings) await world.apply(aReport());
        return { kind: 'not_found' };
      };
      await world.recover();
      return world;
    },
  ],
  [
    'CallNotRecovered',
    'a call cannot be recovered because of an error',
    'the platform does not know the call',
    async (rings) => {
      const world = callWorld([known]);
      world.pass(300);
      if (rings) world.deps.voice.read = () => Promise.reject(new Error('reset'));
      await world.recover();
      return world;
    },
  ],
  [
    'KnowledgeMissing',
    "a text of the assistant's knowledge base is missing",
    'all texts are read',
    async (rings) => {
      const world = callWorld(undefined, { assistants: [anAssistant({ knowledge_base: [document] })] });
      const knowledge = { read: async () => (rings ? [] : [{ filename: 'prices.pdf', text: 'x' }]) };
      expect(await dialCall({ ...world.deps, knowledge }, CALL)).toBe('accepted');
      return world;
    },
  ],
  [
    'SpendLimitReached',
    'a call may cost more than the daily limit leaves',
    'it may cost exactly what the limit leaves',
    async (rings) => {
      const world = callWorld(undefined, { org: { daily_limit: rings ? 9_999 : 10_000 } });
      await world.dialCall();
      return world;
    },
  ],
  [
    'ChannelDown',
    'a lost watch channel cannot be armed again',
    'a lost watch channel is armed again',
    async (rings) => {
      const world = await anArmedConnection();
      world.loseChannels();
      if (rings) world.answers.set('arm', { kind: 'refused', reason: 'LIMIT_REACHED' });
      await check(world);
      return world;
    },
  ],
  [
    'ChannelDown',
    'a connection never had a channel',
    'a channel cannot be checked, because the CRM does not answer',
    async (rings) => {
      const world = await anArmedConnection();
      if (rings) world.change({}, 'channel');
      for (const request of ['arm', 'list']) world.answers.set(request, { kind: 'unavailable', reason: 'x' });
      await check(world);
      return world;
    },
  ],
  [
    'UnusualSpend',
    'an organization uses more credit in an hour than on an average day of its last 7',
    'it uses exactly as much',
    (rings) => spentInAnHour(rings ? 240_001 : 240_000),
  ],
  ['ModelOperatorFault', 'the model refuses the account', 'the model is down', (rings) => notAnalyzed(1, rings)],
  [
    'AnalysisFailed',
    'the model did not answer for an hour',
    'the model may answer later',
    (rings) => notAnalyzed(rings ? 60 : 59),
  ],
];

describe.each(alarms)('the alarm %s', (metric, rings, isSilent, run) => {
  it(`rings once if ${rings}`, async () => {
    expect((await run(true)).counted).toEqual([metric]);
  });

  it(`does not ring if ${isSilent}`, async () => {
    expect((await run(false)).counted).toEqual([]);
  });
});

it('the alarm UnusualSpend names the organization in the log, with what it used and what is usual', async () => {
  const { logged } = await spentInAnHour(300_000);
  expect(logged).toContainEqual({
    message: 'an organization uses unusually much credit',
    org_id: ORG,
    credits_of_the_hour: 300,
    credits_of_a_usual_hour: 10,
  });
});

it('the alarm UnitsBeyondHold counts the units that are not charged', async () => {
  const world = callWorld([aClaimedCall({ held: 1_800 })]);
  const counted: unknown[] = [];
  world.deps.count = (...count) => void counted.push(count);
  await Promise.all([world.apply(aReport()), world.apply(aReport())]);
  expect(counted).toEqual([['UnitsBeyondHold', 200]]);
});
