import type { Call } from '../../../../shared/domain/calls/call.ts';
import { recoverySteps } from '../../../../shared/domain/calls/recovery/recovery.ts';
import type { AnalysisOutcome } from '../../../../shared/integrations/model/analyst.ts';
import { type RecoverCallDeps, recoverCall } from '../../../../shared/operations/calls/recovery/recover-call.ts';
import { analyzed, anEndedCall } from '../../support/ended-call.ts';
import { worldThatDies } from '../../support/worlds/world-that-dies.ts';

const HOUR = 3_600;
const throttled: AnalysisOutcome = { kind: 'unavailable', reason: 'ThrottlingException' };
const wish = analyzed({ do_not_call: true });

/** An ended call whose model is throttled for some hours, and recover-calls every five minutes. */
function aThrottledCall(hours: number, over: Partial<Call> = {}) {
  const world = anEndedCall(over);
  const since = world.ms;
  world.model = async () => (world.ms - since < hours * HOUR * 1_000 ? throttled : wish);
  const deps = { ...world.deps, renotify: async () => undefined } as unknown as RecoverCallDeps;
  const recover = async () => {
    const call = world.stored();
    for (const step of recoverySteps(call, new Date(world.ms))) await recoverCall(deps, call.call_id, step);
    for (const _ of world.deps.finishQueue.due()) await world.finish();
  };
  return Object.assign(world, {
    recover,
    async pass5Minutes(times: number) {
      for (let time = 0; time < times; time += 1) {
        world.pass(300);
        await recover();
      }
    },
    /** The number of do-not-call entries, and whether recover-calls still sees the call. */
    state: () => [world.list().length, world.stored().unfinished],
  });
}

describe('a model that is throttled for longer than an hour', () => {
  it.each([1.5, 5, 22])('loses no do-not-call request when it is back after %d hours', async (hours) => {
    const world = aThrottledCall(hours);
    expect(await world.untilFinished()).toBeLessThanOrEqual(62);
    expect(world.stored().analysis).toEqual({ state: 'failed', error: 'ThrottlingException' });
    expect(world.state()).toEqual([0, 'ended']);
    await world.pass5Minutes(12 * 24);
    expect(world.stored()).toMatchObject({ analysis: { state: 'done' }, do_not_call_at: expect.any(String) });
    expect(world.state()).toEqual([1, undefined]);
    expect(world.counted).toEqual(['AnalysisFailed']);
    expect(world.questions.length).toBeLessThanOrEqual(30);
  });

  it('is given up after a day, with a second alarm, and gets few requests', async () => {
    const world = aThrottledCall(1_000);
    await world.untilFinished();
    await world.pass5Minutes(12 * 30);
    expect(world.state()).toEqual([0, undefined]);
    expect(world.stored().analysis).toEqual({ state: 'failed', error: 'ThrottlingException' });
    expect(world.counted).toEqual(['AnalysisFailed', 'AnalysisFailed']);
    const last = world.questions.at(-1)?.at ?? 0;
    expect(last - Date.parse(world.call.ended_at ?? '')).toBeGreaterThan(22 * HOUR * 1_000);
    expect(world.questions.length).toBeLessThanOrEqual(30);
  });

  it('is requested once per try, however many messages arrive', async () => {
    const world = aThrottledCall(1_000);
    await world.untilFinished();
    world.pass(HOUR);
    const before = world.questions.length;
    await Promise.all([world.finish(), world.finish(), world.finish()]);
    await world.finish();
    expect(world.questions).toHaveLength(before + 1);
  });

  it('loses no do-not-call request, wherever the worker dies', async () => {
    const late = async () => {
      const world = aThrottledCall(1.2);
      await world.untilFinished();
      world.pass(HOUR);
      return world;
    };
    let cuts = 0;
    for await (const [world] of worldThatDies(late, ({ finish }) => finish(), 3)) {
      cuts += 1;
      await world.pass5Minutes(12 * 6);
      expect(world.state()).toEqual([1, undefined]);
    }
    expect(cuts).toBeGreaterThan(2);
  });

  it('is not requested again once a client has analyzed the call', async () => {
    const world = aThrottledCall(2);
    await world.untilFinished();
    world.pass(2 * HOUR);
    await world.analyze();
    const asked = world.questions.length;
    await world.pass5Minutes(12 * 6);
    expect(world.state()).toEqual([1, undefined]);
    expect(world.questions).toHaveLength(asked);
  });

  it('leaves the call unfinished until its client is notified of the analysis', async () => {
    const world = aThrottledCall(2, { callback_url: 'https://client.example', callback_status: 'delivered' });
    await world.untilFinished();
    await world.pass5Minutes(12 * 6);
    expect(world.stored()).toMatchObject({ analyzed_at: expect.any(String), analysis_callback: 'pending' });
    expect(world.state()).toEqual([1, 'ended']);
    await world.deps.calls.recordAnalysisNotified(world.call.call_id);
    expect(world.state()).toEqual([1, undefined]);
  });

  it('is not requested again after an invalid answer', async () => {
    const world = aThrottledCall(1.2);
    await world.untilFinished();
    world.answer({ kind: 'invalid', reason: 'no JSON' });
    await world.pass5Minutes(12 * 6);
    expect(world.state()).toEqual([0, undefined]);
    expect(world.counted).toEqual(['AnalysisFailed', 'AnalysisFailed']);
  });
});
