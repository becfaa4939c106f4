import { Readable } from 'node:stream';
import type { AnalysisOutcome } from '../../shared/integrations/model/analyst.ts';
import { aResult } from '../unit/support/call.ts';
import type { Fail } from './oracles/violation.ts';
import type { QueueParts } from './queues.ts';

/** The outcome of a write to a remote system, as its client reads it. */
export type Written =
  | { kind: 'written'; id: string }
  | { kind: 'refused'; code: string; status: number }
  | { kind: 'unavailable' | 'unknown'; reason: string };

export type Remote = ReturnType<typeof remoteOf>;

/**
 * Simulates the remote systems that the service writes to after a call: they refuse, are down for a while, accept no
 * request or do not answer. Each record has a key, by which a lookup finds it. Fails if a record is written twice.
 * @param isDown whether they accept no requests at present
 */
export function remoteOf({ random, rates, processes }: QueueParts, fail: Fail, isDown: () => boolean) {
  /** The id, by kind and key. */
  const records = new Map<string, string>();
  const refused = new Set<string>();

  const write = (kind: string, key: string, ms = 500): Promise<Written> =>
    processes.request({
      what: () => `writes a ${kind} of ${key}`,
      act: (): Written => {
        const name = `${kind} ${key}`;
        if (isDown() || random.chance(rates.remote)) return { kind: 'unavailable', reason: 'too many requests' };
        if (refused.has(name) || random.chance(0.01)) {
          refused.add(name);
          return { kind: 'refused', code: 'INVALID_DATA', status: 422 };
        }
        if (random.chance(rates.remote)) return { kind: 'unknown', reason: 'lost before its effect' };
        if (records.has(name)) fail('written twice', `the ${kind} of ${key}`, [key]);
        const id = `${kind}-${records.size + 1}`;
        records.set(name, id);
        return random.chance(rates.remote) ? { kind: 'unknown', reason: 'no answer' } : { kind: 'written', id };
      },
      ms,
    });

  const find = (kind: string, key: string) =>
    processes.request({
      what: () => `looks up the ${kind} of ${key}`,
      act: () => {
        if (isDown()) return { kind: 'unavailable' as const, reason: 'down' };
        const id = records.get(`${kind} ${key}`);
        return id === undefined ? { kind: 'absent' as const } : { kind: 'found' as const, id };
      },
      ms: 500,
    });

  /** Answers as the language model does. */
  const analyze = (): Promise<AnalysisOutcome> =>
    processes.request({
      what: () => 'requests an analysis',
      act: (): AnalysisOutcome => {
        if (isDown() || random.chance(rates.remote)) return { kind: 'unavailable', reason: 'throttled' };
        if (random.chance(rates.remote / 2)) return { kind: 'invalid', reason: 'no JSON' };
        const lead_intent = random.pick(['complaint', 'purchase', null]);
        const result = aResult({ lead_intent, do_not_call: random.chance(0.01) });
        return { kind: 'analyzed', result, isCut: false };
      },
      ms: 4_000,
    });

  return { write, find, analyze, records, isDown };
}

/** Simulates the bucket of the calls' files. */
export const filesOf = ({ processes }: QueueParts) => ({
  putTranscript: (call: { call_id: string }) =>
    processes.request({ what: () => `stores the transcript of ${call.call_id}`, act: () => `${call.call_id}.txt` }),
  removeReported: async () => undefined,
  removeTranscripts: async () => undefined,
  tagReported: async () => undefined,
  putLines: (call: { call_id: string }) =>
    processes.request({ what: () => `stores the lines of ${call.call_id}`, act: () => `${call.call_id}.json` }),
  putRecording: (call: { call_id: string }) =>
    processes.request({ what: () => `stores the recording of ${call.call_id}`, act: () => `${call.call_id}.wav` }),
  getTranscript: (key: string) => processes.request({ what: () => `reads ${key}`, act: () => 'AI: Namaste.' }),
  recording: (key: string) =>
    processes.request({
      what: () => `reads ${key}`,
      act: () => ({ contentType: 'audio/wav', contentLength: 4, open: async () => Readable.from('RIFF') }),
    }),
});
