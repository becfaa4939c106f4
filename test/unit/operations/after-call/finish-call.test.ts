import { Readable } from 'node:stream';
import type { Call } from '../../../../shared/domain/calls/call.ts';
import { connectionIdFor } from '../../../../shared/domain/ids.ts';
import type { AnalysisOutcome } from '../../../../shared/integrations/model/analyst.ts';
import { aCalledLead, aResult } from '../../support/call.ts';
import { analyzed, anEndedCall } from '../../support/ended-call.ts';
import { aConnection, aGrant, ORG } from '../../support/worlds/items.ts';
import { timeOut } from '../../support/worlds/lead-world.ts';
import { worldThatDies } from '../../support/worlds/world-that-dies.ts';
import { worldThatRepeats } from '../../support/worlds/world-that-repeats.ts';

const down: AnalysisOutcome = { kind: 'unavailable', reason: 'throttled' };
const notYet = () => ({ kind: 'not_there' as const });

describe('finish-call', () => {
  it('finishes a call with its recording and its analysis', async () => {
    const world = anEndedCall();
    expect(await world.finish()).toBe('finished');
    expect(world.stored()).toMatchObject({
      recording: { state: 'stored' },
      analysis: { state: 'done', result: aResult() },
      finished_at: expect.any(String),
    });
    expect(await world.finish()).toBe('finished_before');
    expect(world.questions).toHaveLength(1);
    expect(world.messages).toEqual([]);
  });

  it('finishes a call without an analysis, even one from before analyses existed', async () => {
    for (const analysis of [{ state: 'none' as const, error: 'there is no transcript' }, undefined]) {
      const world = anEndedCall({ analysis });
      expect(await world.finish()).toBe('finished');
      expect(world.stored()).toMatchObject({ ...(analysis && { analysis }), finished_at: expect.any(String) });
      expect(world.questions).toEqual([]);
    }
  });

  it.each<[string, Partial<Call>]>([
    ['a client', {}],
    ['a member who tries an assistant', { tested_by: 'u1' }],
    ['a test event', { lead: aCalledLead({ test: true }) }],
  ])('passes a call of %s to the help desk, because only the run condition excludes calls', async (_by, over) => {
    const world = anEndedCall(over);
    const connection_id = connectionIdFor(ORG, 'help-desk');
    world.put('connections', aConnection({ connection_id, type: 'help-desk', grant: aGrant() }));
    expect(await world.finish()).toBe('finished');
    expect(world.stored().ticket_work).toBe('pending');
  });

  it('stores each result without waiting for the other step', async () => {
    for (const [lacks, recording, analysis] of [
      ['analysis_pending', 'stored', 'pending'],
      ['recording_pending', 'pending', 'done'],
      ['recording_pending,analysis_pending', 'pending', 'pending'],
    ]) {
      const world = anEndedCall();
      if (analysis === 'pending') world.answer(down);
      if (recording === 'pending') world.recording = notYet;
      expect(await world.finish()).toBe(lacks);
      expect(world.stored()).toMatchObject({ recording: { state: recording }, analysis: { state: analysis } });
      expect(world.stored().finished_at).toBeUndefined();
    }
  });

  it('fails the recording after half an hour and the analysis after an hour, each with its reason', async () => {
    const both = anEndedCall();
    both.answer(down);
    both.recording = notYet;
    expect(await both.untilFinished()).toBeGreaterThanOrEqual(60);
    expect(both.stored()).toMatchObject({
      recording: { state: 'failed', error: 'the platform has no recording' },
      analysis: { state: 'failed', error: 'throttled' },
    });
    expect(both.stored().analyzed_at).toBeUndefined();
    expect(both.counted).toEqual(['AnalysisFailed']);

    const recording = anEndedCall();
    recording.recording = notYet;
    const length = await recording.untilFinished();
    expect(length).toBeGreaterThanOrEqual(30);
    expect(length).toBeLessThan(33);
  });

  it('stores a recording of unknown length, but not an empty or too large one', async () => {
    for (const [key, recording] of [
      ['recordings/org/call.wav', { state: 'stored', key: 'recordings/org/call.wav' }],
      [undefined, { state: 'failed', error: 'the recording is empty or larger than 512 MB' }],
    ] as const) {
      const world = anEndedCall({ analysis: { state: 'none' } });
      const body = Readable.from('RIFF');
      world.recording = () => ({ kind: 'found', body, contentType: 'audio/wav', contentLength: undefined });
      const put: unknown[] = [];
      world.deps.files.putRecording = async (_call, audio, most) => {
        put.push([audio, most]);
        return key;
      };
      expect(await world.finish()).toBe('finished');
      expect(put).toEqual([[{ body, contentType: 'audio/wav', contentLength: undefined }, 512 * 1024 * 1024]]);
      expect(world.stored().recording).toEqual({ ...recording, at: world.stored().finished_at });
      expect(body.destroyed).toBe(true);
    }
  });

  it.each([
    [
      'the platform did not send the recording: status 503',
      async () => ({ kind: 'unknown' as const, reason: 'status 503' }),
    ],
    ['the copy failed: TimeoutError', () => Promise.reject(timeOut())],
  ])('records why a recording could not be copied: %s', async (error, answer) => {
    const world = anEndedCall({ analysis: { state: 'none' } });
    world.deps.voice.recording = answer;
    await world.untilFinished();
    expect(world.stored().recording).toEqual({ state: 'failed', error, at: expect.any(String) });
  });

  it('backs off from an unavailable model, and finishes within 62 minutes', async () => {
    const world = anEndedCall();
    world.answer(down);
    const length = await world.untilFinished();
    expect(length).toBeLessThanOrEqual(62);
    const waits = world.questions.slice(1).map(({ at }, index) => (at - (world.questions[index]?.at ?? 0)) / 1000);
    expect(waits.length).toBeLessThanOrEqual(10);
    for (const wait of waits) expect(wait).toBeGreaterThanOrEqual(90);
    expect(waits.slice(0, 4)).toEqual([...waits.slice(0, 4)].sort((one, other) => one - other));
    expect(waits[3]).toBeGreaterThan(300);
  });

  it('requests a missing recording with growing intervals', async () => {
    const world = anEndedCall();
    const requests: number[] = [];
    world.answer(down);
    world.recording = () => {
      requests.push(world.ms);
      return notYet();
    };
    await world.untilFinished();
    const waits = requests.slice(1).map((at, index) => (at - (requests[index] ?? 0)) / 1000);
    expect(waits.length).toBeGreaterThanOrEqual(3);
    expect(waits.length).toBeLessThanOrEqual(7);
    expect(waits[0]).toBeGreaterThanOrEqual(90);
    expect(Math.max(...waits)).toBeGreaterThan(300);
  });

  it('stores the result of a model that becomes available again', async () => {
    const world = anEndedCall();
    const backAt = Date.parse(world.call.ended_at ?? '') + 40 * 60_000;
    world.model = async () => (world.ms < backAt ? down : analyzed());
    const length = await world.untilFinished();
    expect(length).toBeGreaterThanOrEqual(40);
    expect(length).toBeLessThan(54);
    expect(world.stored()).toMatchObject({ analysis: { state: 'done' }, analyzed_at: expect.any(String) });
  });

  it('retries a model with invalid answers a few times within five minutes', async () => {
    const world = anEndedCall();
    world.answer({ kind: 'invalid', reason: 'no answer of the schema' });
    expect(await world.untilFinished()).toBeLessThan(8);
    expect(world.stored().analysis).toEqual({ state: 'failed', error: 'no answer of the schema' });
    expect(world.questions.length).toBeGreaterThan(1);
    expect(world.questions.length).toBeLessThanOrEqual(5);
  });

  it('tries once if the end of the call is reported after the deadline', async () => {
    const world = anEndedCall();
    world.pass(90 * 60);
    expect(await world.finish()).toBe('finished');
    expect(world.stored().analysis?.state).toBe('done');
  });

  it('counts refusals of the model that only an operator can fix', async () => {
    const world = anEndedCall();
    world.answer({ kind: 'unavailable', reason: 'AccessDeniedException', isOperatorFault: true });
    await world.finish();
    expect(world.counted).toEqual(['ModelOperatorFault']);
  });

  it('waits until the deadline for a transcript that cannot be read', async () => {
    const world = anEndedCall();
    world.deps.files.getTranscript = () =>
      Promise.reject(Object.assign(new Error('Access Denied'), { name: 'AccessDenied' }));
    expect(await world.untilFinished()).toBeGreaterThanOrEqual(60);
    expect(world.stored().analysis).toEqual({ state: 'failed', error: 'the analysis failed: AccessDenied' });
  });

  it('records that no word was said', async () => {
    const world = anEndedCall();
    world.transcript = '';
    expect(await world.finish()).toBe('finished');
    expect(world.stored().analysis).toEqual({ state: 'none', error: 'the transcript is empty' });
  });

  it('requests one analysis, however many workers process the call', async () => {
    const world = anEndedCall();
    const outcomes = await Promise.all([world.finish(), world.finish(), world.finish()]);
    expect(world.questions).toHaveLength(1);
    expect(outcomes).toContain('finished');
    expect(world.stored().finished_at).toBeDefined();
  });

  it('finishes the call if two workers complete one step each at the same time', async () => {
    const world = anEndedCall();
    const { putRecording } = world.deps.files;
    world.model = async () => (world.questions.length === 1 ? down : analyzed());
    // The first worker is still copying the recording when the second one completes the analysis.
    world.deps.files.putRecording = async (...given) => {
      world.recording = notYet;
      world.pass(90);
      await world.finish();
      expect(world.stored().analysis?.state).toBe('done');
      return putRecording(...given);
    };
    await world.finish();
    expect(world.stored()).toMatchObject({ recording: { state: 'stored' }, finished_at: expect.any(String) });
  });

  it('does not change a recording that another worker gave up in between', async () => {
    const world = anEndedCall({ analysis: { state: 'none' } });
    const { recording } = world;
    world.deps.voice.recording = async () => {
      world.deps.voice.recording = async () => notYet();
      world.pass(45 * 60);
      expect(await world.finish()).toBe('finished');
      return recording();
    };
    await world.finish();
    expect(world.stored().recording?.state).toBe('failed');
  });

  it('finishes with an analysis that a client requested in between', async () => {
    const world = anEndedCall();
    world.answer(down);
    expect(await world.finish()).toBe('analysis_pending');
    world.answer(analyzed({ summary: "The client's." }));
    await world.analyze();
    expect(world.questions).toHaveLength(2);
    await world.untilFinished();
    expect(world.questions).toHaveLength(2);
    expect(world.stored().analysis?.result?.summary).toBe("The client's.");
  });

  it('does not overwrite the result of a client’s request with a failure', async () => {
    const world = anEndedCall();
    world.pass(61 * 60);
    world.answer(down, async () => {
      world.answer(analyzed());
      await world.analyze();
    });
    expect(await world.finish()).toBe('finished');
    expect(world.stored().analysis?.state).toBe('done');
    expect(world.counted).toEqual([]);
  });

  it('requests no analysis if the analysis ended after the call was read', async () => {
    const world = anEndedCall({ recording: { state: 'none' } });
    const ended = { ...world.call, analysis: { state: 'done', result: aResult() } } satisfies Call;
    world.beforeNextWrite(() => world.putCall(ended));
    expect(await world.finish()).toBe('analysis_pending');
    expect(world.questions).toEqual([]);
    expect(world.stored()).toEqual(ended);
  });

  it.each([
    ['one result', analyzed({ do_not_call: true }), { state: 'done', result: { do_not_call: true } }],
    ['no result', { kind: 'invalid', reason: 'no data', doNotCall: true }, { state: 'failed' }],
  ] as [string, AnalysisOutcome, object][])(
    'loses neither the result nor the do-not-call request, wherever its worker dies: %s',
    async (_result, outcome, analysis) => {
      const begin = () => Object.assign(anEndedCall(), { model: async () => outcome });
      for await (const [world, cut] of worldThatDies(begin, (each) => each.untilFinished())) {
        world.pass(450);
        await world.untilFinished();
        expect({ cut, ...world.stored() }).toMatchObject({
          cut,
          analysis,
          recording: { state: 'stored' },
          do_not_call_at: expect.any(String),
        });
        expect(world.list()).toMatchObject([{ phone: world.call.phone_number, call_id: world.call.call_id }]);
        if (outcome.kind === 'analyzed') expect(world.questions.length).toBeLessThanOrEqual(2);
      }
    },
  );

  it('finishes, whichever write the SDK repeats', async () => {
    for await (const [world, repeated] of worldThatRepeats(anEndedCall, (each) => each.finish())) {
      world.pass(450);
      await world.untilFinished();
      expect({ repeated, ...world.stored() }).toMatchObject({
        repeated,
        recording: { state: 'stored' },
        analysis: { state: 'done' },
        finished_at: expect.any(String),
      });
      expect(world.questions).toHaveLength(1);
    }
  });
});
