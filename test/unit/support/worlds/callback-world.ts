import type { Callback } from '../../../../shared/domain/after-call/callbacks/callback.ts';
import type { Call } from '../../../../shared/domain/calls/call.ts';
import { viewCall } from '../../../../shared/domain/calls/call-view.ts';
import type { CallbackOutcome } from '../../../../shared/integrations/callbacks/send-callback.ts';
import type { CallbackWork } from '../../../../shared/messages/callback-work.ts';
import { analyzeTranscript } from '../../../../shared/operations/after-call/analysis/analyze-transcript.ts';
import { notifyCallback } from '../../../../shared/operations/after-call/notify-callback.ts';
import { recoverCallbacks } from '../../../../shared/operations/after-call/recover-callbacks.ts';
import { aCall, aResult } from '../call.ts';
import { crowd } from '../crowd.ts';
import { analyzed } from '../ended-call.ts';
import { aWorld } from './world.ts';

export const status = (code: number): CallbackOutcome => ({ kind: 'answered', status: code });

/** An ended, analyzed call with a client to notify. */
export const anEndedCall = (over: Partial<Call> = {}): Call =>
  aCall({
    status: 'completed',
    unfinished: 'ended',
    transcript_key: 'transcripts/org/call.txt',
    callback_url: 'https://client.example/hook',
    callback_status: 'pending',
    analysis: { state: 'done', result: aResult() },
    ...over,
  });

/** Ended calls of one organization, with the same client. */
export const endedCallsOf = (org: string, count: number, callback_url: string): Call[] =>
  Array.from({ length: count }, (_, index) =>
    anEndedCall({ call_id: `call_${org}_${index}`, org_id: `org${org}`, callback_url }),
  );

/** The requests that a client's receiver got. */
type Sent = { url: string; webhookId: string; type: string; data: Record<string, unknown>; at: number };

/** Ended calls, their clients, and the queue of their notifications. */
export function callbackWorld(calls: readonly Call[]) {
  const base = aWorld();
  base.random = 0.5;
  for (const call of calls) base.putCall(call);
  const sent: Sent[] = [];
  const callbackQueue = base.queue<CallbackWork>();
  const schedules = base.schedules<CallbackWork>();
  const deps = {
    ...base.common,
    secretsOf: async (): Promise<[string]> => ['whsec_'],
    ...base.outside({
      send: async ({ url, webhookId, body }: { url: string; webhookId: string; body: string }) => {
        const { type, data } = JSON.parse(body);
        sent.push({ url, webhookId, type, data, at: base.ms });
        return world.answer(type, url);
      },
    }),
    callbackQueue,
    sendAt: schedules.plan,
  };
  const deliver = (work: CallbackWork) => notifyCallback(deps, work);

  const world = Object.assign(base, {
    deps,
    answer: (_type: string, _url: string): CallbackOutcome | Promise<CallbackOutcome> => status(204),
    sent,
    deliver,
    notifications: () => base.all('callbacks') as Callback[],
    eventOf: (call: Call, type: string): CallbackWork => ({
      call_id: call.call_id,
      type,
      at: base.now,
      call: { ...viewCall(call), status: type === 'call.analyzed' ? call.status : type.slice('call.'.length) },
    }),
    /** The times of the pending messages. */
    waiting: (): number[] => [
      ...callbackQueue.sent.map(({ due }) => due),
      ...[...schedules.planned.values()].filter(({ isDone }) => !isDone).map(({ at }) => at),
    ],
    /** Queues the notification of the end of every call. */
    end: (ended: readonly Call[]) => {
      for (const call of ended) void callbackQueue.send(world.eventOf(call, 'call.completed'));
    },
    due: (): CallbackWork[] => [...callbackQueue.due(), ...schedules.due()],
    /** Moves the clock to the next message. @returns the due messages */
    next: (): CallbackWork[] => {
      if (world.waiting().length === 0) return [];
      base.pass(Math.max(0, Math.min(...world.waiting()) - base.ms) / 1000);
      return world.due();
    },
    /** Delivers every message at its time, until no message is left. */
    async run() {
      for (let due = world.next(); due.length > 0; due = world.next()) for (const work of due) await deliver(work);
    },
    /** Analyzes a call as its client requests. The event of the analysis is lost. */
    analyze: (callId: string) => {
      const files = { getTranscript: async () => 'AI: Namaste.' };
      const analyst = { analyze: async () => analyzed() };
      return analyzeTranscript({ ...deps, files, analyst }, base.callOf(callId));
    },
    recover: async () => {
      for (const { call_id } of base.all('calls')) await recoverCallbacks(deps, base.callOf(String(call_id)));
    },
  });
  const { hang, work } = crowd<CallbackWork>({
    get ms() {
      return base.ms;
    },
    ...{ pass: base.pass, waiting: world.waiting, due: world.due, deliver },
  });
  /** A receiver that sends no answer until the attempt times out. */
  const hangs = () => hang<CallbackOutcome>({ kind: 'failed', reason: 'no answer in time' });
  /** A receiver that answers after some seconds. */
  const takes = (seconds: number, code: number) => hang<CallbackOutcome>(status(code), seconds);
  return Object.assign(world, { work, hangs, takes });
}

export type CallbackWorld = ReturnType<typeof callbackWorld>;
