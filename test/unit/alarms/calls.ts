import { signCall } from '../../../shared/domain/calls/platform/call-signature.ts';
import type { EndReport } from '../../../shared/domain/calls/platform/platform-message.ts';
import { holdEntry, settlementEntry } from '../../../shared/domain/organizations/ledger-entry.ts';
import { secondsAfter } from '../../../shared/domain/time/instants.ts';
import type { DialOutcome } from '../../../shared/integrations/voice/voice-platform.ts';
import type { VoiceEvent } from '../../../shared/messages/voice-event.ts';
import { dialOnce } from '../../../shared/operations/calls/dialing/dial-once.ts';
import { receiveVoiceMessage } from '../../../shared/operations/calls/receive-voice-message.ts';
import type { CallFiles } from '../../../shared/stores/calls/files/call-files.ts';
import { aClaimedCall } from '../support/call.ts';
import { beginStage } from '../support/dial-stage.ts';
import { aReport, CALL, callWorld } from '../support/worlds/call-world.ts';
import { anAssistant, MONDAY, ORG } from '../support/worlds/items.ts';
import { aWorld, START } from '../support/worlds/world.ts';
import type { Alarm } from './alarm.ts';

/** Dials nine calls in sequence. @param outcomeOf of the dial with this number, from 0 on */
const dialed = async (outcomeOf: (dial: number) => DialOutcome, seconds = 1) => {
  const world = await beginStage(9);
  const { dial } = world.deps.voice;
  world.deps.voice.dial = (request) => {
    world.dialing = outcomeOf(world.dialed.length);
    return dial(request);
  };
  await world.run(seconds);
  return world;
};
const accepted: DialOutcome = { kind: 'accepted', platformId: 'p' };
const unreachable: DialOutcome = { kind: 'not_dialed', reason: 'ECONNREFUSED', isOperatorFault: false };
const accountRefused: DialOutcome = { ...unreachable, limit: 'account' };
const known = aClaimedCall({ platform_id: 'p1', status: 'in_progress' });
const reported = async (call = aClaimedCall(), report: Partial<EndReport> = {}) => {
  const world = callWorld([call]);
  await world.apply(aReport(report));
  return world;
};
/** Recovers a dialed call after some minutes. */
const recovered = async (call: typeof known, change: object) => {
  const world = Object.assign(callWorld([call]), change);
  world.pass(300);
  await world.recover();
  return world;
};
/** Ends a call of an organization that used this many units in this hour, and 240,000 on each of the 7 days before. */
export const spentInAnHour = async (units: number) => {
  const world = callWorld([aClaimedCall({ platform_id: 'p1', status: 'in_progress' })], { org: { max_live_calls: 0 } });
  const days = ['02-23', '02-24', '02-25', '02-26', '02-27', '02-28', '03-01'].map((day) => `2026-${day}`);
  for (const day of days) world.put('usage', { org_id: ORG, day: `${day}#1`, completed: 9, units: 240_000 });
  world.put('usage', { org_id: ORG, day: `${MONDAY}#1`, completed: 9, units: 500_000 });
  const of = (call_id: string) => ({ org_id: ORG, call_id });
  const charged = (call_id: string, cost: number, at: string) => settlementEntry(of(call_id), { held: 0, cost }, at);
  world.put('credit-ledger', charged('call_a', units - 40_000, '2026-03-02T05:30:00.000Z'));
  world.put('credit-ledger', charged('call_b', 40_000, '2026-03-02T05:59:00.000Z'));
  // Neither amount is spent within the hour.
  world.put('credit-ledger', charged('call_c', 200_000, '2026-03-02T04:59:59.000Z'));
  world.put('credit-ledger', holdEntry(of('call_d'), 500_000, '2026-03-02T05:59:30.000Z'));
  await world.recover();
  return world;
};
const document = { id: 'k', filename: 'prices.pdf', path: 'knowledge/k.txt', textPreview: '', uploadedAt: '' };

export const alarmsOfCalls: Alarm[] = [
  [
    'DoubleDial',
    'the platform reports another id than the call has',
    'it reports the id of the call',
    (rings) => reported(aClaimedCall({ platform_id: rings ? 'p2' : 'p1' })),
  ],
  [
    'DialOperatorFault',
    'a report proves that no phone rang because of the account',
    'a report proves that no phone rang for another reason',
    (is_account_fault) => reported(aClaimedCall(), { outcome: 'not_dialed', is_account_fault }),
  ],
  [
    'DialOperatorFault',
    'the platform refuses the lookup of a dial because of the account',
    'the platform cannot answer the lookup',
    (isOperatorFault) => recovered(aClaimedCall(), { lookup: { kind: 'unknown', reason: 'x', isOperatorFault } }),
  ],
  [
    'DialOperatorFault',
    'the platform refuses to return its record because of the account',
    'the platform cannot return its record',
    (isOperatorFault) => recovered(known, { record: { kind: 'unknown', reason: 'x', isOperatorFault } }),
  ],
  [
    'UnitsBeyondHold',
    'a call costs more than its hold',
    'a call costs exactly its hold',
    (rings) => reported(aClaimedCall({ held: rings ? 1_999 : 2_000 })),
  ],
  [
    'UnitsBeyondHold',
    'a call runs for more than a minute beyond its longest duration',
    'the platform ends a call within a minute after its longest duration',
    (rings) => reported(aClaimedCall({ held: 1_000, max_duration_seconds: rings ? 29 : 30 })),
  ],
  [
    'CallLost',
    'a call is ended at its deadline',
    'the report ends it while it is looked up',
    async (rings) => {
      const world = callWorld([known]);
      world.pass(known.max_duration_seconds + 3_600 + 1);
      world.deps.voice.read = async () => {
        if (!rings) await world.apply(aReport());
        return { kind: 'not_found' };
      };
      await world.recover();
      return world;
    },
  ],
  [
    'DialOperatorFault',
    'the platform offers no way to end a call that must not be live',
    'the call is over',
    async (rings) => {
      const world = Object.assign(callWorld([known]), {
        hangingUp: { kind: rings ? ('no_way' as const) : ('not_live' as const) },
      });
      await world.doWork({ call_id: CALL, hang_up: { platform_id: 'p2', tries: 0 } });
      return world;
    },
  ],
  [
    'DialOperatorFault',
    'the platform does not answer a hang-up request for a quarter of an hour',
    'it answers a repeated request',
    async (rings) => {
      const world = callWorld([known]);
      world.deps.voice.hangUp = () => Promise.reject(new Error('voice platform: status 503'));
      await world.doWork({ call_id: CALL, hang_up: { platform_id: 'p2', tries: rings ? 6 : 5 } });
      return world;
    },
  ],
  [
    'CallNotRecovered',
    'a call cannot be recovered because of an error',
    'the platform does not know the call',
    async (rings) => {
      const world = callWorld([known]);
      world.pass(300);
      if (rings) world.deps.voice.read = () => Promise.reject(new Error('reset'));
      await world.recover();
      return world;
    },
  ],
  [
    'KnowledgeMissing',
    "a text of the assistant's knowledge base is missing",
    'all texts are read',
    async (rings) => {
      const world = callWorld(undefined, { assistants: [anAssistant({ knowledge_base: [document] })] });
      const knowledge = { read: async () => (rings ? [] : [{ filename: 'prices.pdf', text: 'x' }]) };
      expect(await dialOnce({ ...world.deps, knowledge }, CALL)).toBe('accepted');
      return world;
    },
  ],
  [
    'SpendLimitReached',
    'a call may cost more than the rest of the daily limit',
    'it may cost exactly the rest of the limit',
    async (rings) => {
      const world = callWorld(undefined, { org: { daily_limit: rings ? 9_999 : 10_000 } });
      await world.dialCall();
      return world;
    },
  ],
  [
    'PlatformGateClosed',
    'three of five dials fail',
    'two of five dials fail',
    (rings) => dialed((dial) => ([0, 2, rings ? 4 : 0].includes(dial) ? unreachable : accepted)),
  ],
  [
    'PlatformGateClosed',
    'the platform refuses the account for more than a minute',
    'it accepts calls again before that',
    async (rings) => {
      const world = await dialed(() => accountRefused, 40);
      if (!rings) world.deps.voice.dial = async () => accepted;
      await world.run(60);
      return world;
    },
  ],
  [
    'SlotsCorrected',
    'two runs find that a counter is wrong',
    'one run finds it, and the next one does not',
    async (rings) => {
      const world = callWorld([aClaimedCall({ platform_id: 'p1', progress_at: secondsAfter(START, 10_000) })]);
      world.put('slots', { scope: 'stage', live: 2 });
      await world.recover();
      if (!rings) world.put('slots', { ...world.find('slots', { scope: 'stage' }), live: 1 });
      await world.recover();
      return world;
    },
  ],
  [
    'UnusualSpend',
    'an organization uses more credit in an hour than on an average day of its last 7',
    'it uses exactly as much as on that day',
    (rings) => spentInAnHour(rings ? 240_001 : 240_000),
  ],
  [
    'NotAuthenticated',
    'a message of the voice platform is not signed by us',
    'it is signed by us, and contains no useful data',
    async (rings) => {
      const world = aWorld();
      const deps = { ...world.common, files: {} as CallFiles, voiceEvents: world.queue<VoiceEvent>() };
      const opened = { callIds: [CALL], read: () => ({ callId: CALL, message: undefined }) };
      const signature = rings ? 'guess' : signCall('key', CALL);
      await receiveVoiceMessage({ ...deps, keys: async () => ['key'] }, opened, signature);
      return world;
    },
  ],
];
