import { Readable } from 'node:stream';
import type { AnalysisResult } from '../../../shared/domain/calls/analysis.ts';
import type { Call } from '../../../shared/domain/calls/call.ts';
import type { AnalysisOutcome, AnalysisRequest } from '../../../shared/integrations/model/analyst.ts';
import type { RecordingOutcome } from '../../../shared/integrations/voice/voice-platform.ts';
import { type AnalyzeCallDeps, analyzeCall } from '../../../shared/operations/after-call/analyze-call.ts';
import { type FinishCallDeps, finishCall } from '../../../shared/operations/after-call/finish-call.ts';
import { callStore } from '../../../shared/stores/calls/calls.ts';
import { connectionStore } from '../../../shared/stores/connections/connections.ts';
import { transactions } from '../../../shared/stores/dynamodb/transaction.ts';
import { assistantStore } from '../../../shared/stores/organizations/assistants.ts';
import { doNotCallStore } from '../../../shared/stores/organizations/do-not-call.ts';
import { aCall } from './call.ts';
import { clientOf, database } from './database.ts';

const ENDED_AT = '2026-03-02T06:02:30.000Z';

export const aResult = (over: Partial<AnalysisResult> = {}): AnalysisResult => ({
  summary: 'A visit was agreed.',
  success_eval: 'success',
  sentiment: 'positive',
  structured_data: {},
  lead_intent: null,
  issue_summary: null,
  do_not_call: false,
  ...over,
});
export const analyzed = (over: Partial<AnalysisResult> = {}, isCut = false): AnalysisOutcome => ({
  kind: 'analyzed',
  result: aResult(over),
  isCut,
});

/** A call of a minute that has just ended, with the stores on tables in memory, a platform, a model and a queue. */
export function anEndedCall(over: Partial<Call> = {}) {
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
  const tables = database({
    assistants: [
      {
        assistant_id: 'asst_1',
        org_id: call.org_id,
        name: 'Asha',
        prompt: 'You are Asha.',
        first_message: 'Namaste.',
        max_duration_seconds: 600,
        success_criteria: 'A visit is agreed.',
        analysis_schema: { type: 'object', properties: { budget: { type: 'number' } } },
        knowledge_base: [],
        created_at: call.created_at,
      },
    ],
  });
  const db = clientOf(tables.send as never);
  const calls = callStore(db, 'calls');
  const doNotCall = doNotCallStore(db, 'do-not-call');
  tables.put('calls', (calls.creation(call).Put?.Item ?? {}) as object);

  const world = {
    now: Date.parse(ENDED_AT) + 2_000,
    transcript: 'AI: Namaste.\nUser: I would like a visit.\n' as string | undefined,
    recording: (): RecordingOutcome => ({
      kind: 'found',
      body: Readable.from('RIFF'),
      contentType: 'audio/wav',
      contentLength: 4,
    }),
    model: async (_request: AnalysisRequest): Promise<AnalysisOutcome> => analyzed(),
    asked: [] as (AnalysisRequest & { at: number })[],
    messages: [] as number[],
    counted: [] as string[],
  };
  const deps: FinishCallDeps & AnalyzeCallDeps = {
    calls,
    assistants: assistantStore(db, 'assistants'),
    connections: connectionStore(db, 'connections'),
    doNotCall,
    files: {
      getTranscript: async () => world.transcript,
      putRecording: async () => 'recordings/org/call.wav',
    },
    voice: { recording: async () => world.recording() },
    analyst: {
      analyze: (request) => {
        world.asked.push({ ...request, at: world.now });
        return world.model(request);
      },
    },
    finishQueue: {
      send: async (_message, delaySeconds = 0) => void world.messages.push(world.now + delaySeconds * 1000),
      sendMany: async () => undefined,
    },
    transact: transactions(db, { random: () => 0, sleep: async () => undefined }),
    now: () => new Date(world.now),
    count: (name) => void world.counted.push(name),
  };
  const kept = async (): Promise<Call> => (await calls.get(call.call_id)) as Call;
  return {
    call,
    world,
    tables,
    deps,
    kept,
    list: () => tables.all('do-not-call'),
    finish: () => finishCall(deps, call.call_id),
    /** As a client has it analyzed. */
    analyze: async () => analyzeCall(deps, await kept()),
    /** Delivers what is on the queue in time, and what recover-calls puts there every five minutes. @returns minutes. */
    async untilFinished(): Promise<number> {
      const recoveries = Array.from({ length: 40 }, (_, run) => world.now + run * 300_000 + 299_000);
      await finishCall(deps, call.call_id);
      for (let step = 0; step < 200; step += 1) {
        const { finished_at, ended_at = '' } = await kept();
        if (finished_at) return (Date.parse(finished_at) - Date.parse(ended_at)) / 60_000;
        const due = Math.min(...world.messages, ...recoveries.filter((at) => at > world.now));
        world.now = Math.max(world.now, due);
        const index = world.messages.indexOf(due);
        if (index >= 0) world.messages.splice(index, 1);
        await finishCall(deps, call.call_id);
      }
      throw new Error('not finished');
    },
  };
}
