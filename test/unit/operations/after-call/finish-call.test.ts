import { describe, expect, it } from '@jest/globals';
import type { AnalysisOutcome } from '../../../../shared/integrations/model/analyst.ts';
import { analyzed, anEndedCall, aResult } from '../../support/ended-call.ts';

const minutes = (number: number) => number * 60_000;
const down = async (): Promise<AnalysisOutcome> => ({ kind: 'unavailable', reason: 'throttled' });
const babble = async (): Promise<AnalysisOutcome> => ({ kind: 'invalid', reason: 'no answer of the schema' });
const notYet = () => ({ kind: 'not_there' as const });

/** The worker is gone at this point: nothing after it happens. */
class Death extends Error {}

describe('finish-call', () => {
  it('finishes a call with its recording and its analysis', async () => {
    const { finish, kept, world } = anEndedCall();
    expect(await finish()).toBe('finished');
    expect(await kept()).toMatchObject({
      recording: { state: 'stored' },
      analysis: { state: 'done', result: aResult() },
      finished_at: expect.any(String),
    });
    expect(await finish()).toBe('finished_before');
    expect(world.asked).toHaveLength(1);
    expect(world.messages).toEqual([]);
  });

  it('finishes a call of which nothing can be analyzed, and one that was made before there were analyses', async () => {
    for (const analysis of [{ state: 'none' as const, error: 'there is no transcript' }, undefined]) {
      const { finish, kept, world } = anEndedCall({ analysis });
      expect(await finish()).toBe('finished');
      expect(await kept()).toMatchObject({ ...(analysis && { analysis }), finished_at: expect.any(String) });
      expect(world.asked).toEqual([]);
    }
  });

  it('keeps the recording while the model is down, and the analysis while the recording is not there', async () => {
    const withoutModel = anEndedCall();
    withoutModel.world.model = down;
    expect(await withoutModel.finish()).toBe('analysis_pending');
    expect((await withoutModel.kept()).recording?.state).toBe('stored');

    const withoutRecording = anEndedCall();
    withoutRecording.world.recording = notYet;
    expect(await withoutRecording.finish()).toBe('recording_pending');
    expect((await withoutRecording.kept()).analysis?.state).toBe('done');

    const withNeither = anEndedCall();
    withNeither.world.model = down;
    withNeither.world.recording = notYet;
    expect(await withNeither.finish()).toBe('recording_pending,analysis_pending');
    for (const { kept } of [withoutModel, withoutRecording, withNeither])
      expect((await kept()).finished_at).toBeUndefined();
  });

  it('keeps each step to its own deadline, half an hour and an hour, and says why it failed', async () => {
    const both = anEndedCall();
    both.world.model = down;
    both.world.recording = notYet;
    expect(await both.untilFinished()).toBeGreaterThanOrEqual(60);
    expect(await both.kept()).toMatchObject({
      recording: { state: 'failed', error: 'the platform has no recording' },
      analysis: { state: 'failed', error: 'throttled' },
    });
    expect((await both.kept()).analyzed_at).toBeUndefined();
    expect(both.world.counted).toEqual(['AnalysisFailed']);

    const recording = anEndedCall();
    recording.world.recording = notYet;
    const length = await recording.untilFinished();
    expect(length).toBeGreaterThanOrEqual(30);
    expect(length).toBeLessThan(33);
  });

  it('asks a model that is down less and less often, and finishes within two minutes of the hour', async () => {
    const { world, untilFinished } = anEndedCall();
    world.model = down;
    const length = await untilFinished();
    expect(length).toBeLessThanOrEqual(62);
    const waits = world.asked.slice(1).map(({ at }, index) => (at - (world.asked[index]?.at ?? 0)) / 1000);
    expect(waits.length).toBeLessThanOrEqual(10);
    for (const wait of waits) expect(wait).toBeGreaterThanOrEqual(90);
    expect(waits.slice(0, 4)).toEqual([...waits.slice(0, 4)].sort((one, other) => one - other));
    expect(waits[3]).toBeGreaterThan(300);
  });

  it('takes the result of a model that comes back', async () => {
    const { world, untilFinished, kept, call } = anEndedCall();
    const backAt = Date.parse(call.ended_at ?? '') + minutes(40);
    world.model = async () => (world.now < backAt ? down() : analyzed());
    const length = await untilFinished();
    expect(length).toBeGreaterThanOrEqual(40);
    expect(length).toBeLessThan(54);
    expect(await kept()).toMatchObject({ analysis: { state: 'done' }, analyzed_at: expect.any(String) });
  });

  it('gives a model that answers nothing valid five minutes, and a few tries', async () => {
    const { world, untilFinished, kept } = anEndedCall();
    world.model = babble;
    expect(await untilFinished()).toBeLessThan(8);
    expect((await kept()).analysis).toEqual({ state: 'failed', error: 'no answer of the schema' });
    expect(world.asked.length).toBeGreaterThan(1);
    expect(world.asked.length).toBeLessThanOrEqual(5);
  });

  it('tries once where the end of the call is known only after the deadline', async () => {
    const { world, finish, kept } = anEndedCall();
    world.now += minutes(90);
    expect(await finish()).toBe('finished');
    expect((await kept()).analysis?.state).toBe('done');
  });

  it('counts the refusals of a model that no waiting mends', async () => {
    const { world, finish } = anEndedCall();
    world.model = async () => ({ kind: 'unavailable', reason: 'AccessDeniedException', isOperatorFault: true });
    await finish();
    expect(world.counted).toEqual(['ModelOperatorFault']);
  });

  it('waits for a transcript or an assistant that cannot be read just now, until the deadline', async () => {
    const { deps, untilFinished, kept } = anEndedCall();
    deps.files.getTranscript = async () => {
      throw Object.assign(new Error('what S3 says'), { name: 'AccessDenied' });
    };
    expect(await untilFinished()).toBeGreaterThanOrEqual(60);
    expect((await kept()).analysis).toEqual({ state: 'failed', error: 'the analysis failed: AccessDenied' });
  });

  it('records that nothing was said', async () => {
    const { world, finish, kept } = anEndedCall();
    world.transcript = '';
    expect(await finish()).toBe('finished');
    expect((await kept()).analysis).toEqual({ state: 'none', error: 'the transcript is empty' });
  });

  it('asks the model once, however many workers have the call at once', async () => {
    const { finish, world, kept } = anEndedCall();
    const outcomes = await Promise.all([finish(), finish(), finish()]);
    expect(world.asked).toHaveLength(1);
    expect(outcomes).toContain('finished');
    expect((await kept()).finished_at).toBeDefined();
  });

  it('finishes where two workers end one step each at the same time', async () => {
    const { finish, world, kept, deps } = anEndedCall();
    let copied = () => {};
    const putRecording = deps.files.putRecording;
    deps.files.putRecording = async (...given) => {
      await new Promise<void>((resolve) => {
        copied = resolve;
      });
      return putRecording(...given);
    };
    world.model = down;
    const first = finish();
    await until(() => world.messages.length === 1);
    // The first worker still copies when the second one, by the message of the analysis, has its turn.
    world.model = async () => analyzed();
    world.now += 92_000 - 2_000;
    world.recording = notYet;
    const second = finish();
    await until(async () => (await kept()).analysis?.state === 'done');
    copied();
    await Promise.all([first, second]);
    expect(await kept()).toMatchObject({ recording: { state: 'stored' }, finished_at: expect.any(String) });
  });

  it('asks no more where a client has had the call analyzed, and still finishes it', async () => {
    const { world, finish, analyze, untilFinished, kept } = anEndedCall();
    world.model = down;
    expect(await finish()).toBe('analysis_pending');
    world.model = async () => analyzed({ summary: "The client's." });
    await analyze();
    const asked = world.asked.length;
    await untilFinished();
    expect(world.asked).toHaveLength(asked);
    expect((await kept()).analysis?.result?.summary).toBe("The client's.");
  });

  it('does not record a failure over the result that a client got meanwhile', async () => {
    const { world, finish, analyze, kept } = anEndedCall();
    world.now += minutes(61);
    world.model = async () => {
      world.model = async () => analyzed();
      await analyze();
      return down();
    };
    expect(await finish()).toBe('finished');
    expect((await kept()).analysis?.state).toBe('done');
    expect(world.counted).toEqual([]);
  });

  it.each([
    ['before', 'one result', analyzed({ do_not_call: true }), { state: 'done', result: { do_not_call: true } }],
    ['after', 'one result', analyzed({ do_not_call: true }), { state: 'done', result: { do_not_call: true } }],
    ['before', 'no result', { kind: 'invalid', reason: 'no data', doNotCall: true }, { state: 'failed' }],
    ['after', 'no result', { kind: 'invalid', reason: 'no data', doNotCall: true }, { state: 'failed' }],
  ] as ['before' | 'after', string, AnalysisOutcome, object][])(
    'loses nothing where a worker dies %s any request of it to the database: %s, the wish on the list',
    async (moment, _result, outcome, analysis) => {
      for (let dies = 1, isThrough = false; !isThrough; dies += 1) {
        const { world, tables, untilFinished, kept, list, call } = anEndedCall();
        world.model = async () => outcome;
        let count = 0;
        tables.hooks[moment] = () => {
          count += 1;
          if (count === dies) throw new Death();
        };
        const first = await untilFinished().catch((error: unknown) => error);
        isThrough = count < dies;
        delete tables.hooks[moment];
        world.now += 450_000;
        await untilFinished();
        expect(first).toEqual(isThrough ? expect.any(Number) : expect.anything());
        expect(await kept()).toMatchObject({
          analysis,
          recording: { state: 'stored' },
          do_not_call_at: expect.any(String),
        });
        expect(list()).toMatchObject([{ phone: call.phone_number, call_id: call.call_id }]);
        if (outcome.kind === 'analyzed') expect(world.asked.length).toBeLessThanOrEqual(2);
        expect(dies).toBeLessThan(60);
      }
    },
  );
});

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 1_000; turn += 1) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  throw new Error('it never came to it');
}
