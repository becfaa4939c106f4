import fc from 'fast-check';
import type { AnalysisResult } from '../../../../shared/domain/calls/analysis.ts';
import { successEvals } from '../../../../shared/domain/calls/analysis.ts';
import type { Call } from '../../../../shared/domain/calls/call.ts';
import { callIdFor, newToken } from '../../../../shared/domain/ids.ts';
import { analyzeTranscript } from '../../../../shared/operations/after-call/analysis/analyze-transcript.ts';
import { cancelCall } from '../../../../shared/operations/calls/cancel-call.ts';
import { forceEndCall } from '../../../../shared/operations/calls/force-end-call.ts';
import { aClaimedCall, aReservedCall, aResult } from '../../support/call.ts';
import { aReport, callWorld, expectConsistent } from '../../support/worlds/call-world.ts';
import { clientOf, database } from '../../support/worlds/database.ts';
import { ist, MONDAY, ORG, TUESDAY } from '../../support/worlds/items.ts';
import { aWorld, storesOn } from '../../support/worlds/world.ts';

/** Calls, some of them dialed and some waiting. */
const calls: Call[] = [0, 1, 2].map((index) => {
  const over = { call_id: `call_${index}`, phone_number: `+91981234567${index}` };
  return index < 2 ? aClaimedCall({ ...over, platform_id: `p${index}` }) : aReservedCall(over);
});

/** A world with the calls, just before a midnight in India. */
function usageWorld() {
  const base = callWorld(calls);
  base.now = ist(MONDAY, '23:58');
  const successOf = (callId: string): AnalysisResult['success_eval'] =>
    successEvals[Number(callId.at(-1)) % successEvals.length] as 'success';
  const analyze = async (call_id: string) => {
    const deps = {
      ...base.deps,
      files: base.outside({ getTranscript: async () => 'AI: Namaste.' }),
      analyst: base.outside({
        analyze: async () => ({
          kind: 'analyzed' as const,
          result: aResult({ success_eval: successOf(call_id) }),
          isCut: false,
        }),
      }),
    };
    return analyzeTranscript(deps, base.callOf(call_id));
  };
  /** Possible events in a call's life, any number of times. */
  const steps: Record<string, (call: Call) => Promise<unknown>> = {
    report: ({ call_id, platform_id = 'p2' }) =>
      base.apply(
        aReport({ platform_id, started_at: ist(MONDAY, '23:50'), ended_at: ist(MONDAY, '23:51:30') }),
        call_id,
      ),
    'no answer': ({ call_id, platform_id = 'p2' }) =>
      base.apply(
        { ...aReport({ platform_id, outcome: 'no_answer' }), started_at: undefined, transcript: undefined } as never,
        call_id,
      ),
    cancel: ({ call_id }) => cancelCall({ ...base.deps, newToken }, { kind: 'operator', name: 'ops' }, { call_id }),
    'force the end': ({ call_id }) =>
      forceEndCall({ ...base.deps, newToken }, { kind: 'operator', name: 'ops' }, call_id),
    analyze: ({ call_id }) => analyze(call_id),
    recover: () => base.recover(),
  };
  return Object.assign(base, { steps });
}

const step = fc.record({
  what: fc.constantFrom(
    'report',
    'report',
    'no answer',
    'cancel',
    'force the end',
    'analyze',
    'analyze',
    'analyze',
    'recover',
  ),
  call: fc.constantFrom(...calls),
  /** The request at which its worker dies. */
  dies: fc.option(fc.record({ at: fc.integer({ min: 1, max: 6 }), moment: fc.constantFrom('before', 'after') })),
  seconds: fc.constantFrom(0, 0, 45, 600),
});

describe('usage', () => {
  it('equals calls and ledger after any mix of ends, analyses, repeats and deaths', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
        const world = usageWorld();
        for (const { what, call, dies, seconds } of steps) {
          const act = () => world.steps[what]?.(call) ?? Promise.reject(new Error(what));
          if (dies) await world.dying({ at: dies.at, moment: dies.moment as 'before' }, act);
          else await act();
          world.pass(seconds);
          expectConsistent(world);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('counts an end on the day of its settlement, and its first analysis on the same day', async () => {
    const world = usageWorld();
    const [first, second] = calls as [Call, Call];
    await world.steps.report?.(first);
    await world.steps['no answer']?.(second);
    world.now = ist(TUESDAY, '00:10');
    await world.steps.analyze?.(first);
    await world.steps.analyze?.(first);
    world.now = ist(TUESDAY, '00:20');
    await world.steps.cancel?.(calls[2] as Call);
    expect(await world.stores.usage.ofDays(ORG, { from: MONDAY, to: TUESDAY })).toMatchObject([
      { day: MONDAY, completed: 1, no_answer: 1, seconds: 90, units: 2_000, analyzed_success: 1 },
      { day: TUESDAY, canceled: 1, completed: 0, seconds: 0, units: 0, analyzed_success: 0 },
    ]);
    expectConsistent(world);
  });

  it('does not count the analysis of a call whose end was not counted', async () => {
    const world = usageWorld();
    await world.steps.report?.(calls[0] as Call);
    world.change({ usage_day: undefined }, 'call_0');
    const before = world.all('usage');
    await world.steps.analyze?.(calls[0] as Call);
    expect(world.stored('call_0').analyzed_at).toBeDefined();
    expect(world.all('usage')).toEqual(before);
  });
});

describe('the usage of days', () => {
  it('sums all items of a day, whichever calls wrote them, but no other day or organization', async () => {
    const { common, stores, all } = aWorld();
    const { usage } = stores;
    const add = (org_id: string, call_id: string, day: string) =>
      common.transact({ usage: usage.counting({ org_id, call_id }, day, { completed: 1, units: 500 }) });
    for (let index = 0; index < 40; index += 1)
      for (const day of ['2026-11-20', '2026-11-21', '2026-11-22', '2026-11-23']) await add(ORG, `call_${index}`, day);
    await add('org_other', 'call_1', '2026-11-21');
    expect(all('usage').length).toBeGreaterThan(4 * 4);
    expect(await usage.ofDays(ORG, { from: '2026-11-21', to: '2026-11-22' })).toMatchObject([
      { day: '2026-11-21', completed: 40, units: 20_000, busy: 0 },
      { day: '2026-11-22', completed: 40, units: 20_000, busy: 0 },
    ]);
  });

  it('spreads the calls of a day over its items evenly', () => {
    const { usage } = storesOn(clientOf(database().send));
    const ids = Array.from({ length: 800 }, (_, index) => callIdFor(ORG, `key-${index}`));
    const keys = ids.map((call_id) => usage.counting({ org_id: ORG, call_id }, MONDAY, { busy: 1 }).Update?.Key?.day);
    const counts = Object.values(Object.groupBy(keys, String)).map((same) => same?.length ?? 0);
    expect(counts).toHaveLength(8);
    expect(Math.max(...counts)).toBeLessThan(140);
  });
});
