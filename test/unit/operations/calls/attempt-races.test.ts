import type { Call } from '../../../../shared/domain/calls/call.ts';
import { endedByService } from '../../../../shared/domain/calls/ending.ts';
import { aCall, aCalledLead, aClaimedCall, aReservedCall } from '../../support/call.ts';
import { CALL, type CallWorld, callWorld } from '../../support/worlds/call-world.ts';
import { MONDAY } from '../../support/worlds/items.ts';
import { START } from '../../support/worlds/world.ts';

const waiting = aCall();
const reserved = aReservedCall();
const claimed = aClaimedCall();
const known = aClaimedCall({ platform_id: 'p1' });
const scheduled = aCall({ status: 'scheduled', scheduled_for: START, held: 0 });
const claim = { callId: CALL, claimedAt: claimed.dial_claimed_at as string };
const waitUntil = { scheduled_for: START, dial_by: START, dial_after: START, claims_day: '2026-03-02' };
const hangUp = { at: START, reason: 'hang-up' };

const changes = {
  'has ended': { status: 'completed' },
  'has rung': { status: 'ringing' },
  'was answered': { status: 'in_progress' },
  'was postponed': { status: 'scheduled' },
  'was claimed': { dial_claimed_at: claim.claimedAt },
  'was given back': { dial_claimed_at: undefined },
  'was claimed again': { dial_claimed_at: '2026-03-02T06:01:00.000Z' },
  'has a platform id': { platform_id: 'p1' },
  'has another platform id': { platform_id: 'p7' },
  'has lost its platform id': { platform_id: undefined },
  'was given back under this platform id': { former_platform_ids: new Set(['p1']) },
  'was hung up': { hung_up_at: START },
  'was stopped by a person': { stop_asked_at: START },
  'was absent before': { absent_since: START },
  'has got slots': { reserved_at: START, slots: ['stage'] },
  'has lost its slots': { reserved_at: undefined, slots: undefined },
  'has other slots': { reserved_at: '2026-03-02T06:01:00.000Z' },
  'waits until later': { dial_after: '2026-03-02T06:00:00.001Z' },
  'was released': { status: 'queued' },
  'has another hold': { held: 1 },
  'has another number': { phone_number: '+919812345679' },
  'was scheduled for another time': { scheduled_for: '2026-03-03T03:30:00.000Z' },
} satisfies Record<string, Partial<Call>>;
type Change = keyof typeof changes;

const otherHold: Change[] = ['has another hold', 'has another number'];
const otherSlots: Change[] = ['has lost its slots', 'has other slots'];
const otherAttempt: Change[] = ['was given back', 'was claimed again'];
const otherId: Change[] = ['has another platform id', 'was given back under this platform id'];

const giveBack = ({ stores, common }: CallWorld, platformId?: string) => {
  const attempt = { dialAfter: START, absent: false, isReleased: false, ...(platformId && { platformId }) };
  const asClaimed = { ...aCall(), dial_claimed_at: claim.claimedAt };
  return common.transact({ call: stores.calls.givingBack(asClaimed, attempt, START) });
};
const end = ({ stores, common }: CallWorld, asRead: Call, platformId?: string) => {
  const ending = { ...endedByService('failed', 'x', new Date(START)), cost: 0, beyondHold: 0 };
  return common.transact({
    call: stores.calls.ending(
      asRead,
      { ...ending, ...(platformId && { platformId }) },
      { now: START, usageDay: MONDAY },
    ),
  });
};

/** Every write about an attempt, the call as its worker read it, and later changes that refuse the write. */
const writes: [string, Call, (world: CallWorld) => Promise<boolean | { committed: boolean }>, Change[]][] = [
  [
    'an accepted dial',
    claimed,
    ({ stores }) => stores.calls.recordAccepted(claim, { platformId: 'p1', isQueued: false }, START),
    ['has ended', ...otherAttempt, ...otherId],
  ],
  [
    'progress',
    claimed,
    ({ stores }) => stores.calls.advance(CALL, { status: 'in_progress' }, 'p1', START),
    ['was answered', 'has ended', ...otherId],
  ],
  [
    'a cancellation in the queue',
    aClaimedCall({ platform_id: 'p1' }),
    ({ stores }) => stores.calls.noteCancel(claim, 'p1', START),
    ['has ended', 'has rung', 'was answered', ...otherAttempt, 'has another platform id', 'has lost its platform id'],
  ],
  [
    'a platform id',
    claimed,
    ({ stores }) => stores.calls.adopt(CALL, 'p1', START),
    ['has ended', 'was postponed', 'was released', ...otherId],
  ],
  [
    'a hang-up',
    claimed,
    ({ stores }) => stores.calls.noteHangUp(claimed, 'p1', hangUp, START),
    ['has ended', 'was postponed', 'was released', 'was hung up', ...otherId],
  ],
  [
    'an absence',
    claimed,
    ({ stores }) => stores.calls.noteAbsence(claim, START),
    [...otherAttempt, 'was absent before', 'has a platform id'],
  ],
  [
    'a give-back',
    claimed,
    (world) => giveBack(world),
    ['has rung', 'was stopped by a person', ...otherAttempt, 'has a platform id'],
  ],
  [
    'a reported give-back',
    known,
    (world) => giveBack(world, 'p1'),
    ['has rung', 'was stopped by a person', ...otherAttempt, ...otherId],
  ],
  [
    'a reported end',
    known,
    (world) => end(world, known, 'p1'),
    ['has ended', ...otherAttempt, ...otherId, ...otherHold],
  ],
  [
    'the end of a dialed call',
    known,
    (world) => end(world, known),
    [
      'has ended',
      'was postponed',
      ...otherAttempt,
      'has another platform id',
      'has lost its platform id',
      ...otherHold,
    ],
  ],
  [
    'a reservation',
    waiting,
    ({ stores, common }) => common.transact({ call: stores.calls.reserving(CALL, ['stage'], START) }),
    ['has ended', 'was postponed', 'was claimed', 'has a platform id', 'has got slots', 'waits until later'],
  ],
  [
    'the end of a reservation',
    reserved,
    ({ stores, common }) => common.transact({ call: stores.calls.givingBackReservation(reserved, START) }),
    ['has ended', 'was postponed', 'was claimed', 'has a platform id', ...otherSlots],
  ],
  [
    'a dial claim',
    reserved,
    ({ stores, common }) =>
      common.transact({
        call: stores.calls.claim({ callId: CALL, claimedAt: START }, { ...reserved, reserved_at: START }),
      }),
    [
      'has ended',
      'was postponed',
      'was claimed',
      'has a platform id',
      'waits until later',
      ...otherSlots,
      ...otherHold,
    ],
  ],
  [
    'a postponement',
    reserved,
    ({ stores, common }) =>
      common.transact({
        call: stores.calls.postponing(reserved, START, { ...waitUntil, phone_number: '+911', lead: aCalledLead() }),
      }),
    ['has ended', 'was postponed', 'was claimed', 'has a platform id', ...otherSlots, ...otherHold],
  ],
  [
    'the end of a waiting call',
    waiting,
    (world) => end(world, waiting),
    ['has ended', 'was postponed', 'was claimed', 'has a platform id', 'has got slots', ...otherHold],
  ],
  [
    'the end of a call with slots',
    reserved,
    (world) => end(world, reserved),
    ['has ended', 'was postponed', 'was claimed', 'has a platform id', ...otherSlots, ...otherHold],
  ],
  [
    'the end of a scheduled call',
    scheduled,
    (world) => end(world, scheduled),
    ['was released', 'was scheduled for another time', ...otherHold],
  ],
];
const isWritten = (result: boolean | { committed: boolean }) =>
  typeof result === 'boolean' ? result : result.committed;

describe('a worker that another worker has overtaken', () => {
  it.each(writes)('stores %s only if the call has not changed: %#', async (_name, asRead, write, refusing) => {
    const world = callWorld([asRead]);
    expect(isWritten(await write(world))).toBe(true);
    expect(world.stored()).not.toEqual(asRead);
    for (const change of refusing) {
      const changed = { ...asRead, ...changes[change] };
      const overtaken = callWorld([changed]);
      expect([change, isWritten(await write(overtaken))]).toEqual([change, false]);
      expect(overtaken.stored()).toEqual(aCall(changed));
    }
  });
});
