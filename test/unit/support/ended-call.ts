import { Readable } from 'node:stream';
import type { AnalysisResult } from '../../../shared/domain/calls/analysis.ts';
import type { Call } from '../../../shared/domain/calls/call.ts';
import type { AnalysisOutcome, AnalysisRequest } from '../../../shared/integrations/model/analyst.ts';
import type { RecordingOutcome } from '../../../shared/integrations/voice/voice-platform.ts';
import { analyzeTranscript } from '../../../shared/operations/after-call/analysis/analyze-transcript.ts';
import { finishCall } from '../../../shared/operations/after-call/finish-call.ts';
import type { CallFiles } from '../../../shared/stores/calls/files/call-files.ts';
import { aCall, aResult } from './call.ts';
import type { Send } from './worlds/database.ts';
import { anAssistant } from './worlds/items.ts';
import { aWorld } from './worlds/world.ts';

const ENDED_AT = '2026-03-02T06:02:30.000Z';

export const analyzed = (over: Partial<AnalysisResult> = {}, isCut = false): AnalysisOutcome => ({
  kind: 'analyzed',
  result: aResult(over),
  isCut,
});

const criteria = {
  success_criteria: 'A visit is agreed.',
  analysis_schema: { type: 'object', properties: { budget: { type: 'number' } } },
};

/** A call of one minute that has just ended, with the voice platform and the language model. */
export function anEndedCall(over: Partial<Call> = {}, wrap?: (send: Send) => Send) {
  const call = aCall({
    status: 'completed',
    unfinished: 'ended',
    platform_id: 'platform-1',
    started_at: '2026-03-02T06:01:30.000Z',
    ended_at: ENDED_AT,
    duration: 60,
    transcript_key: 'transcripts/org/call.txt',
    recording: { state: 'pending' },
    analysis: { state: 'pending' },
    ...over,
  });
  const base = aWorld({ assistants: [anAssistant(criteria)] }, wrap);
  base.now = ENDED_AT;
  base.pass(2);
  base.putCall(call);

  const finishQueue = base.queue<{ call_id: string }>();
  const questions: (AnalysisRequest & { at: number })[] = [];
  const deps = {
    ...base.common,
    files: base.outside({
      getTranscript: async () => world.transcript,
      putRecording: async (..._given: Parameters<CallFiles['putRecording']>): Promise<string | undefined> =>
        'recordings/org/call.wav',
    }),
    voice: base.outside({ recording: async () => world.recording() }),
    analyst: base.outside({
      analyze: async (request: AnalysisRequest) => {
        questions.push({ ...request, at: base.ms });
        return world.model();
      },
    }),
    finishQueue,
  };
  const stored = () => base.callOf(call.call_id);
  const finish = () => finishCall(deps, call.call_id);
  const world = Object.assign(base, {
    call,
    deps,
    transcript: 'AI: Namaste.\nUser: I would like a visit.\n' as string | undefined,
    recording: (): RecordingOutcome => ({
      kind: 'found',
      body: Readable.from('RIFF'),
      contentType: 'audio/wav',
      contentLength: 4,
    }),
    model: async (): Promise<AnalysisOutcome> => analyzed(),
    /** The requests to the model. */
    questions,
    messages: finishQueue.sent,
    stored,
    list: () => base.all('do-not-call'),
    /** Removes the call's number from the do-not-call list, as an operator does. */
    removeFromList: () => base.remove('do-not-call', { org_id: call.org_id, phone: call.phone_number }),
    /** Sets the answer of the model. @param meanwhile runs once while the model answers */
    answer: (outcome: AnalysisOutcome, meanwhile?: () => unknown) => {
      const pending = [meanwhile];
      world.model = async () => {
        await pending.pop()?.();
        return outcome;
      };
    },
    finish,
    /** Analyzes the call as a client's request does. */
    analyze: async () => analyzeTranscript(deps, stored()),
    /** Delivers the queue's messages on time, and those of recover-calls every five minutes. @returns minutes */
    async untilFinished(): Promise<number> {
      const start = base.ms;
      await finish();
      for (let step = 0; step < 200; step += 1) {
        const { finished_at, ended_at = '' } = stored();
        if (finished_at) return (Date.parse(finished_at) - Date.parse(ended_at)) / 60_000;
        const recovery = start + 300_000 * Math.ceil((base.ms + 1_001 - start) / 300_000) - 1_000;
        const due = Math.min(...finishQueue.sent.map((message) => message.due), recovery);
        base.pass(Math.max(0, due - base.ms) / 1000);
        finishQueue.due();
        await finish();
      }
      throw new Error('the call is not finished');
    },
  });
  return world;
}
