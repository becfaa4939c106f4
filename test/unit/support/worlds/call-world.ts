import type { Call } from '../../../../shared/domain/calls/call.ts';
import { isTerminal } from '../../../../shared/domain/calls/call-status.ts';
import type { EndReport, PlatformMessage } from '../../../../shared/domain/calls/platform/platform-message.ts';
import { holdEntry } from '../../../../shared/domain/organizations/ledger-entry.ts';
import type { Organization } from '../../../../shared/domain/organizations/organization.ts';
import type { FindOutcome } from '../../../../shared/integrations/voice/voice-platform.ts';
import type { CallWork, DialWork, SlotsWork } from '../../../../shared/messages/call-work.ts';
import { applyVoiceEvent } from '../../../../shared/operations/calls/apply-voice-event.ts';
import { dialCall } from '../../../../shared/operations/calls/dial-call.ts';
import { dialOnce } from '../../../../shared/operations/calls/dialing/dial-once.ts';
import { handOverSlots } from '../../../../shared/operations/calls/hand-over-slots.ts';
import { recoverCalls } from '../../../../shared/operations/calls/recover-calls.ts';
import { aCall, aReservedCall } from '../call.ts';
import type { Contents } from './database.ts';
import { anOrg, CREDIT } from './items.ts';
import { expectBooks, leadWorld } from './lead-world.ts';
import { START } from './world.ts';

/** The id of the call of `aCall`. */
export const CALL = aCall().call_id;

/** The report of a conversation of 90 seconds, which costs two minutes. */
export const aReport = (over: Partial<EndReport> = {}): EndReport => ({
  kind: 'report',
  platform_id: 'p1',
  outcome: 'completed',
  reason: 'customer-ended-call',
  started_at: '2026-03-02T06:01:00.000Z',
  ended_at: '2026-03-02T06:02:30.000Z',
  transcript: 'AI: Namaste.',
  ...over,
});

/** The platform's answer to a lookup. An absence has the time of the clock. */
export type Lookup = Exclude<FindOutcome, { kind: 'absent' }> | { kind: 'absent' };

/** Live calls by scope, as the slot counters should have them. */
function slotsOf(calls: readonly Call[]): Record<string, number> {
  const live: Record<string, number> = {};
  for (const scope of calls.flatMap(({ slots = [] }) => slots)) live[scope] = (live[scope] ?? 0) + 1;
  return live;
}

/**
 * Placed calls with their holds and slots, by default one with its slots; and the operations from the hand-over to the
 * end. All organizations are on the list of waiting ones.
 */
export function callWorld(
  placed: Call[] = [aReservedCall()],
  { org, slots = [], ...over }: Contents & { org?: Partial<Organization> } = {},
) {
  const holding = placed.filter(({ status, held }) => held > 0 && !isTerminal(status));
  const held = holding.reduce((sum, call) => sum + call.held, 0);
  const base = leadWorld({
    organizations: [anOrg({ available: CREDIT - held, held, ...org })],
    'credit-ledger': holding.map((call) => holdEntry(call, call.held, call.created_at)),
    ...over,
  });
  base.now = START;
  for (const call of placed) base.putCall(call);
  for (const [scope, live] of Object.entries(slotsOf(placed))) base.put('slots', { scope, live });
  for (const slot of slots) base.put('slots', slot);

  const notified: string[] = [];
  const reported = new Map<string, number | undefined>();
  const transcripts = new Set<string>();
  const deps = {
    ...base.deps,
    lookup: base.outside({
      find: async (_callId: string): Promise<FindOutcome> =>
        world.lookup.kind === 'absent' ? { kind: 'absent', as_of: base.now } : world.lookup,
    }),
    files: base.outside({
      putTranscript: async () => {
        transcripts.add('transcripts/org/call.txt');
        return 'transcripts/org/call.txt';
      },
      tagReported: async (keys: readonly string[], days: number) => {
        for (const key of keys) reported.set(key, days);
      },
      putLines: async () => {
        transcripts.add('transcripts/org/call.json');
        return 'transcripts/org/call.json';
      },
      removeTranscripts: async () => transcripts.clear(),
      removeReported: async (keys: readonly string[]) => {
        for (const key of keys) reported.delete(key);
      },
    }),
    finishQueue: base.queue<CallWork>(),
    syncQueue: base.queue<CallWork>(),
    ticketsQueue: base.queue<CallWork>(),
    renotify: async ({ call_id }: Call) => void notified.push(call_id),
    timeLeftMs: () => 300_000,
  };
  const apply = (message: PlatformMessage, callId = CALL) => applyVoiceEvent(deps, { call_id: callId, message });
  const world = Object.assign(base, {
    deps,
    notified,
    /** The keys of the bucket's other transcripts. */
    transcripts,
    /** The bucket's long transcripts that the webhook stored, with their days of retention. */
    reported,
    /** The platform's answer to a lookup by call id. */
    lookup: { kind: 'absent' } as Lookup,
    dialCall: (callId = CALL) => dialOnce(deps, callId),
    doWork: (work: DialWork) => dialCall(deps, work),
    apply,
    /** Applies a report whose transcript and lines are in the bucket, where the webhook replaces them without a tag. */
    applyLong: (keys: Pick<EndReport, 'transcript_key' | 'lines_key'>, over: Partial<EndReport> = {}) => {
      for (const key of Object.values(keys)) reported.set(key, undefined);
      return apply({ ...aReport({ ...over, transcript: undefined }), ...keys });
    },
    handOver: (...messages: SlotsWork[]) => handOverSlots(deps, messages),
    /** Runs recover-calls. Its waits take no time, so that only the test moves the clock. */
    recover: () => recoverCalls({ ...deps, sleep: async () => undefined }),
    stored: (callId = CALL) => base.callOf(callId),
    live: () =>
      Object.fromEntries(base.all('slots').flatMap(({ scope, live: count }) => (count ? [[scope, count]] : []))),
    /** Changes the stored call, as another worker does. */
    change: (change: Partial<Call>, callId = CALL) => base.putCall({ ...base.callOf(callId), ...change }),
  });
  return world;
}

export type CallWorld = ReturnType<typeof callWorld>;

/** Expects ledger, holds and slot counters to match the calls. */
export function expectConsistent(world: CallWorld, credit?: number): void {
  expectBooks(world, credit);
  expect(world.live()).toEqual(slotsOf(world.calls()));
}
