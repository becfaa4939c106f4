import { describe, expect, it } from '@jest/globals';
import type { Call } from '../../../../shared/domain/calls/call.ts';
import type { FindOutcome, ReadOutcome } from '../../../../shared/integrations/voice/voice-platform.ts';
import type { CallWork } from '../../../../shared/messages/call-work.ts';
import type { LeadEvent } from '../../../../shared/messages/lead-event.ts';
import { forceEndCall } from '../../../../shared/operations/calls/force-end-call.ts';
import { recoverCalls } from '../../../../shared/operations/calls/recover-calls.ts';
import { aCall, aClaimedCall } from '../../support/call.ts';
import { anOrg, ORG } from '../../support/items.ts';
import { aWorld, START } from '../../support/world.ts';

const HELD = 10_000;
const RECOVERY_SECONDS = 5 * 60;

type Platform = {
  find: FindOutcome | Error;
  read: ReadOutcome | Error;
  hangUp: boolean | Error;
};

const answer = <T>(value: T | Error): T => {
  if (value instanceof Error) throw value;
  return value;
};

/** A stage with one dialed call, and a platform that gives the same answers forever. */
function aDialedCall(platform: Platform, over: Partial<Call> = {}) {
  const world = aWorld({
    organizations: [anOrg({ available: 0, held: HELD })],
    slots: [
      { scope: 'stage', live: 1 },
      { scope: `org#${ORG}`, live: 1 },
    ],
  });
  const call = aClaimedCall({
    org_id: ORG,
    slots: ['stage', `org#${ORG}`],
    held: HELD,
    dial_claimed_at: START,
    ...over,
  });
  world.putCall(call);
  const hungUp: string[] = [];
  const deps = {
    ...world.common,
    voice: {
      find: async () => answer(platform.find),
      read: async () => answer(platform.read),
      hangUp: async (platformId: string) => {
        hungUp.push(platformId);
        return answer(platform.hangUp);
      },
    },
    files: { putTranscript: async () => 'key' },
    dialQueue: world.queue<CallWork>(),
    finishQueue: world.queue<CallWork>(),
    syncQueue: world.queue<CallWork>(),
    ticketsQueue: world.queue<CallWork>(),
    leadQueue: world.queue<LeadEvent>(),
    renotify: async () => undefined,
    stageSlots: 1,
    timeLeftMs: () => 100_000,
  };
  return {
    world,
    hungUp,
    recover: () => recoverCalls(deps),
    forceEnd: () => forceEndCall(deps, call.call_id),
    call: () => world.callOf(call.call_id),
    lines: () => world.all('slots').map(({ live }) => live),
    credit: () => world.all('organizations').map(({ available, held }) => ({ available, held }))[0],
    ledger: () => world.stores.ledger.list(ORG, 10),
  };
}

const down = new Error('down');
const endless: [string, Platform, Partial<Call>, string[]][] = [
  [
    'whose record says in-progress forever',
    {
      find: { kind: 'absent' },
      read: { kind: 'known', message: { kind: 'progress', platform_id: 'p', status: 'in_progress' } },
      hangUp: true,
    },
    { platform_id: 'p' },
    ['p'],
  ],
  [
    'whose record cannot be read, and that cannot be hung up',
    { find: { kind: 'absent' }, read: { kind: 'unknown', reason: 'status 500' }, hangUp: down },
    { platform_id: 'p' },
    ['p'],
  ],
  [
    'that the platform forgot',
    { find: { kind: 'absent' }, read: { kind: 'not_found' }, hangUp: false },
    { platform_id: 'p' },
    ['p'],
  ],
  [
    'whose dial was never answered, while no lookup completes',
    { find: { kind: 'unknown', reason: 'lookup took too long' }, read: { kind: 'not_found' }, hangUp: false },
    {},
    [],
  ],
];

describe('a call', () => {
  it.each(endless)('%s ends as lost by its deadline', async (_name, platform, over, hangUps) => {
    const { world, recover, call, lines, credit, ledger, hungUp } = aDialedCall(platform, over);
    const deadline = call().max_duration_seconds + 3_600;
    for (let seconds = 0; seconds < deadline - RECOVERY_SECONDS; seconds += RECOVERY_SECONDS) {
      world.pass(RECOVERY_SECONDS);
      await recover();
    }
    expect(lines()).toEqual([1, 1]);
    expect(world.counted).not.toContain('CallLost');

    world.pass(RECOVERY_SECONDS);
    await recover();
    expect(call()).toMatchObject({ status: 'failed', ended_reason: 'lost', cost: 0, duration: 0 });
    expect(hungUp).toEqual(hangUps);
    expect(lines()).toEqual([0, 0]);
    expect(credit()).toEqual({ available: HELD, held: 0 });
    expect(await ledger()).toMatchObject([{ kind: 'release', held: -HELD }]);
    expect(world.counted.filter((name) => name === 'CallLost')).toHaveLength(1);

    await recover();
    expect(lines()).toEqual([0, 0]);
    expect(await ledger()).toHaveLength(1);
  });
});

describe('an operator', () => {
  const [, platform] = endless[1] as (typeof endless)[number];

  it('ends a dialed call at once, though the platform is down', async () => {
    const { forceEnd, call, lines, credit, hungUp, world } = aDialedCall(platform, { platform_id: 'p' });
    expect(await forceEnd()).toEqual({ kind: 'ended', hungUp: false });
    expect(hungUp).toEqual(['p']);
    expect(call()).toMatchObject({ status: 'failed', ended_reason: 'ended_by_operator', cost: 0 });
    expect([lines(), credit()]).toEqual([[0, 0], { available: HELD, held: 0 }]);
    expect(world.counted).toEqual([]);
    expect(await forceEnd()).toEqual({ kind: 'already_ended' });
    expect(lines()).toEqual([0, 0]);
  });

  it('cannot end a call that was not dialed or does not exist in this way', async () => {
    const { world, forceEnd } = aDialedCall(platform);
    const { call_id } = aClaimedCall();
    world.putCall(aCall({ call_id }));
    expect(await forceEnd()).toEqual({ kind: 'not_dialed' });
    world.putCall(aCall({ call_id, status: 'scheduled', unfinished: 'scheduled', scheduled_for: START }));
    expect(await forceEnd()).toEqual({ kind: 'not_dialed' });
    world.remove('calls', { call_id });
    expect(await forceEnd()).toEqual({ kind: 'call_not_found' });
  });
});
