import type { Call } from '../../shared/domain/calls/call.ts';
import type { VoicePlatform } from '../../shared/integrations/voice/voice-platform.ts';
import type { CallWork } from '../../shared/messages/call-work.ts';
import type { CallbackWork } from '../../shared/messages/callback-work.ts';
import { createTicket } from '../../shared/operations/after-call/create-ticket.ts';
import { finishCall } from '../../shared/operations/after-call/finish-call.ts';
import { notifyCallback } from '../../shared/operations/after-call/notify-callback.ts';
import { recoverCallbacks } from '../../shared/operations/after-call/recover-callbacks.ts';
import { syncCrmB } from '../../shared/operations/after-call/sync-crm-b.ts';
import type { Transact } from '../../shared/stores/dynamodb/transaction.ts';
import { aToken } from '../support/connections/access-token.ts';
import type { storesOn } from '../unit/support/worlds/world.ts';
import { helpDeskOf } from './help-desk.ts';
import { type QueueParts, queueOf } from './queues.ts';
import { filesOf, type Remote } from './remote.ts';

type Given = {
  remote: Remote;
  stores: ReturnType<typeof storesOn>;
  transact: Transact;
  voice: VoicePlatform;
  /** Runs at an instant; a second plan with the same name is a no-op. */
  plan: (at: Date, name: string, act: () => void) => Promise<void>;
  /** Called with a notification that the client received. */
  onNotified: (webhookId: string) => void;
};

/** Runs the work after a call, with its queues: recording, analysis, CRM-B's records, ticket, callbacks. */
export function afterCallOf(parts: QueueParts, { remote, stores, transact, voice, plan, onNotified }: Given) {
  const { timeline, random, processes, rates } = parts;
  const common = {
    ...{ ...stores, transact, voice, now: timeline.date, random: random.next, stopwatch: () => timeline.ms },
    ...{ files: filesOf(parts), count: () => undefined, warn: () => undefined },
    // The worlds do not simulate the refresh of a token.
    accessTo: () => ({ apiDomain: 'https://crm.example', token: async () => aToken('token') }),
  };
  const finishQueue = queueOf<CallWork>(parts, 'finish', {
    each: ({ call_id }): Promise<string> =>
      finishCall({ ...common, finishQueue, analyst: { analyze: remote.analyze } }, call_id),
  });

  /** The name of the record ends with the id of the call. */
  const keyOf = (name: string): string => /call_\w+$/.exec(name)?.[0] ?? name;
  const syncDeps = {
    ...common,
    callLogs: {
      create: (_access: unknown, _lead: string, { subject }: { subject: string }) =>
        remote.write('call log', keyOf(subject)),
      find: (_access: unknown, _lead: string, callId: string) => remote.find('call log', callId),
    },
    notes: {
      create: (_access: unknown, _lead: string, { title }: { title: string }) => remote.write('note', keyOf(title)),
      find: (_access: unknown, _lead: string, callId: string) => remote.find('note', callId),
    },
    linkKeys: async (): Promise<[string]> => ['key'],
    publicUrl: 'https://svc.example',
  };
  const syncQueue = queueOf<CallWork>(parts, 'crm-b-sync', {
    each: ({ call_id }): Promise<string> => syncCrmB({ ...syncDeps, syncQueue }, call_id),
  });

  const ticketDeps = {
    ...common,
    ...helpDeskOf(remote),
    refreshAt: (at: Date, name: string, work: CallWork) => plan(at, name, () => ticketsQueue.put(work)),
  };
  const ticketsQueue = queueOf<CallWork>(parts, 'tickets', {
    each: ({ call_id }): Promise<string> => createTicket({ ...ticketDeps, ticketsQueue }, call_id),
  });

  const callbackDeps = {
    ...common,
    secretsOf: async (): Promise<[string]> => ['whsec_'],
    send: ({ webhookId }: { webhookId: string }) =>
      processes.request({
        what: () => `notifies ${webhookId}`,
        act: () => {
          if (remote.isDown() || random.chance(rates.remote)) return { kind: 'answered' as const, status: 503 };
          onNotified(webhookId);
          if (random.chance(rates.remote)) return { kind: 'failed' as const, reason: 'no answer in time' };
          return { kind: 'answered' as const, status: 204 };
        },
        ms: 400,
      }),
    sendAt: (at: Date, name: string, work: CallbackWork) => plan(at, name, () => callbackQueue.put(work)),
  };
  const callbackQueue = queueOf<CallbackWork>(parts, 'callbacks', {
    each: (work): Promise<string> => notifyCallback({ ...callbackDeps, callbackQueue }, work),
  });

  return {
    ...{ finishQueue, syncQueue, ticketsQueue, callbackQueue, files: common.files },
    renotify: (call: Call): Promise<void> => recoverCallbacks({ ...callbackDeps, callbackQueue }, call),
  };
}
