import fc from 'fast-check';
import type { Call } from '../../../../shared/domain/calls/call.ts';
import type { EndReport, PlatformMessage } from '../../../../shared/domain/calls/platform/platform-message.ts';
import { aCall, aClaimedCall } from '../../support/call.ts';
import { aReport, CALL, callWorld, expectConsistent } from '../../support/worlds/call-world.ts';
import { CREDIT, ORG } from '../../support/worlds/items.ts';
import { START } from '../../support/worlds/world.ts';
import { worldThatDies } from '../../support/worlds/world-that-dies.ts';

const messages: PlatformMessage[] = [
  { kind: 'progress', platform_id: 'p1', status: 'dialing' },
  { kind: 'progress', platform_id: 'p1', status: 'in_progress' },
  { kind: 'hung_up', platform_id: 'p1', at: '2026-03-02T06:02:30.000Z', reason: 'customer-ended-call' },
  aReport(),
];
const ringing = { kind: 'progress', platform_id: 'p1', status: 'ringing' } as const;
const hangUp = { hung_up_at: '2026-03-02T06:02:30.000Z', ended_reason: 'customer-ended-call' };
const times = { started_at: '2026-03-02T06:01:00.000Z', ended_at: '2026-03-02T06:02:30.000Z' };
const ended = {
  status: 'completed',
  ended_reason: 'customer-ended-call',
  platform_id: 'p1',
  ...times,
  duration: 90,
  cost: 2_000,
  transcript_key: 'transcripts/org/call.txt',
  recording: { state: 'pending' },
  analysis: { state: 'pending' },
  unfinished: 'ended',
};

describe('a transcript that a worker stores while the call is erased', () => {
  const lines = [{ who: 'person' as const, text: 'a flat', from: 1, to: 2 }];

  it('is removed, with its lines', async () => {
    const world = callWorld([aClaimedCall()]);
    const during: string[] = [];
    world.beforeNextWrite(() => {
      during.push(...world.transcripts);
      world.put('calls', { call_id: CALL, erased_of: ORG, erased_at: START });
    });
    expect(await world.apply(aReport({ lines }))).toBe('erased');
    expect([during, [...world.transcripts]]).toEqual([['transcripts/org/call.txt', 'transcripts/org/call.json'], []]);
  });

  it('stays if the call is not erased', async () => {
    const world = callWorld([aClaimedCall()]);
    await world.apply(aReport());
    await world.apply(aReport());
    expect([...world.transcripts]).toEqual(['transcripts/org/call.txt']);
  });
});

describe('a long transcript that the webhook stored', () => {
  const keys = { transcript_key: 'reported-transcripts/c.1.txt', lines_key: 'reported-transcripts/c.1.json' };
  const other = { transcript_key: 'reported-transcripts/c.2.txt' };
  const keep = { transcripts: 90 };
  const keptFor = (days: number | undefined) => Object.values(keys).map((key) => [key, days]);

  it('gets the retention of its call', async () => {
    const world = callWorld([aClaimedCall({ keep })]);
    await world.applyLong(keys);
    expect([...world.reported]).toEqual(keptFor(90));
    expect(world.stored()).toMatchObject({ status: 'completed', ...keys });
  });

  it('is stored without limit, like its call', async () => {
    const world = callWorld([aClaimedCall()]);
    await world.applyLong(keys);
    expect([[...world.reported], world.stored().status]).toEqual([keptFor(undefined), 'completed']);
  });

  it('gets the retention again if its report is repeated, because the webhook has replaced it', async () => {
    const world = callWorld([aClaimedCall({ keep })]);
    await world.applyLong(keys);
    expect(await world.applyLong(keys)).toBe('ended');
    expect([...world.reported]).toEqual(keptFor(90));
  });

  it('is removed if another report or recover-calls has ended the call', async () => {
    for (const over of [{}, { keep }]) {
      const world = callWorld([aClaimedCall(over)]);
      await world.applyLong(keys);
      expect(await world.applyLong(other)).toBe('ended');
      expect([...world.reported]).toEqual(keptFor(over.keep?.transcripts));
      const recovered = callWorld([aClaimedCall(over)]);
      await recovered.apply(aReport());
      expect(await recovered.applyLong(keys)).toBe('ended');
      expect([recovered.reported.size, recovered.stored().transcript_key]).toEqual([0, 'transcripts/org/call.txt']);
    }
  });

  it.each<[string, Partial<Call>, Partial<EndReport>]>([
    ['former_attempt', { former_platform_ids: new Set(['p1']) }, {}],
    ['double_dial', { platform_id: 'p7' }, {}],
    ['no_attempt', { dial_claimed_at: undefined, slots: undefined, status: 'dialing' }, { outcome: 'not_dialed' }],
    ['given_back', {}, { outcome: 'not_dialed' }],
  ])('is removed if its report does not end the call: %s', async (result, over, report) => {
    const world = callWorld([aClaimedCall({ keep, ...over })]);
    expect(await world.applyLong(keys, report)).toBe(result);
    expect(world.reported.size).toBe(0);
  });

  it('is removed if a repeated report brings it back after its retention', async () => {
    const world = callWorld([aClaimedCall({ keep: { transcripts: 7 } })]);
    await world.applyLong(keys);
    world.pass(8 * 86_400);
    await world.applyLong(keys);
    expect(world.reported.size).toBe(0);
  });

  it('is removed if the call no longer exists', async () => {
    const world = callWorld([]);
    expect(await world.applyLong(keys)).toBe('no_such_call');
    expect(world.reported.size).toBe(0);
  });

  it('has the retention or is removed, wherever a worker dies, once the report is delivered again', async () => {
    for (const [first, left] of [
      [keys, keptFor(90)],
      [other, []],
    ] as const)
      for await (const [world, cut] of worldThatDies(
        () => callWorld([aClaimedCall({ keep, ...(first === other && { platform_id: 'p7' }) })]),
        (each) => each.applyLong(first),
      )) {
        await world.apply({ ...aReport({ transcript: undefined }), ...first });
        expect([cut, [...world.reported]]).toEqual([cut, left]);
      }
  });
});

describe("the platform's messages about a call", () => {
  it('lead to the same end and charge in every order, twice each and some at once', async () => {
    const orders = fc.shuffledSubarray([...messages, ...messages], { minLength: 8 });
    await fc.assert(
      fc.asyncProperty(orders, fc.integer({ min: 1, max: 3 }), async (order, atOnce) => {
        const world = callWorld([aClaimedCall()]);
        for (let first = 0; first < order.length; first += atOnce)
          await Promise.all(order.slice(first, first + atOnce).map((message) => world.apply(message)));
        expect(world.stored()).toMatchObject(ended);
        expect(world.credit()).toEqual({ available: CREDIT - 2_000, held: 0 });
        expectConsistent(world);
      }),
    );
  });

  it('store its lines with their times beside the transcript', async () => {
    const world = callWorld([aClaimedCall()]);
    await world.apply(aReport({ lines: [{ who: 'assistant', text: 'Namaste.', from: 0, to: 1 }] }));
    expect(world.stored()).toMatchObject({ ...ended, lines_key: 'transcripts/org/call.json' });
    const other = callWorld([aClaimedCall()]);
    await other.apply(aReport({ lines_key: 'reported-transcripts/call.json' }));
    expect(other.stored()).toMatchObject({ ...ended, lines_key: 'reported-transcripts/call.json' });
  });

  it('end the call once, wherever a worker dies', async () => {
    for await (const [world, cut] of worldThatDies(
      () => callWorld([aClaimedCall()]),
      (each) => each.apply(aReport()),
    )) {
      await world.apply(aReport());
      expect({ cut, ...world.stored() }).toMatchObject({ cut, ...ended });
      expectConsistent(world);
    }
  });

  it('are recorded, even if they arrive after the call was given back as absent', async () => {
    const results = ['dialing', 'in_progress', 'hung_up'];
    for (const [index, change] of [{ status: 'dialing' }, { status: 'in_progress' }, hangUp].entries()) {
      const world = callWorld([aCall({ status: 'dialing', attempts: 1 })]);
      expect(await world.apply(messages[index] as PlatformMessage)).toBe(results[index]);
      expect(world.stored()).toMatchObject({ ...change, platform_id: 'p1', unfinished: 'claimed' });
    }
  });

  it('record the times at which it rang and was answered, by the platform’s clock', async () => {
    const world = callWorld([aClaimedCall()]);
    const [rang, answered] = ['2026-03-02T06:00:40.000Z', '2026-03-02T06:01:00.000Z'] as const;
    const progress = { kind: 'progress', platform_id: 'p1' } as const;
    await world.apply({ ...progress, status: 'ringing', at: rang });
    expect(world.stored()).toMatchObject({ status: 'ringing', rang_at: rang });
    expect(world.stored()).not.toHaveProperty('answered_at');
    await world.apply({ ...progress, status: 'in_progress', at: answered });
    await world.apply({ ...progress, status: 'ringing', at: answered });
    expect(world.stored()).toMatchObject({ status: 'in_progress', rang_at: rang, answered_at: answered });
    // A message from before the times were stored, or a record without them.
    const other = callWorld([aClaimedCall()]);
    await other.apply({ ...progress, status: 'in_progress' });
    expect(other.stored()).not.toHaveProperty('answered_at');
  });

  it('reveal the platform id, even if they are late', async () => {
    const world = callWorld([aClaimedCall({ status: 'ringing' })]);
    expect(await world.apply(messages[0] as PlatformMessage)).toBe('dialing');
    expect(world.stored()).toMatchObject({ status: 'ringing', platform_id: 'p1', progress_at: START });
  });

  it('give the claim back if no phone rang; later messages about that attempt are dropped', async () => {
    const world = callWorld([aClaimedCall({ platform_id: 'p1', hung_up_at: START, ended_reason: 'x' })]);
    const notDialed = aReport({ outcome: 'not_dialed', is_account_fault: true });
    expect(await world.apply(notDialed)).toBe('given_back');
    const { dial_claimed_at, slots, platform_id, hung_up_at, ended_reason, ...rest } = world.stored();
    expect([dial_claimed_at, slots, platform_id, hung_up_at, ended_reason]).toEqual(Array(5).fill(undefined));
    expect(rest).toMatchObject({ status: 'dialing', unfinished: 'waiting', former_platform_ids: new Set(['p1']) });
    expect(world.counted).toEqual(['DialOperatorFault']);
    expect(world.deps.slotsQueue.sent).toMatchObject([{ message: { org_id: ORG } }]);
    for (const message of messages) {
      const rings = message.kind === 'progress' && message.status !== 'dialing';
      expect(await world.apply(message)).toBe(rings ? 'double_dial' : 'former_attempt');
    }
    expectConsistent(world);
  });

  it('ring the alarm for a refusal of the account, although a status that was reported before ends the call', async () => {
    const world = callWorld([aClaimedCall({ platform_id: 'p1', status: 'ringing' })]);
    const notDialed = aReport({ outcome: 'not_dialed', is_account_fault: true, started_at: undefined });
    expect(await world.apply(notDialed)).toBe('failed');
    expect(await world.apply(notDialed)).toBe('ended');
    expect(world.counted).toEqual(['DialOperatorFault']);
    expectConsistent(world);
  });

  it.each<[Partial<EndReport>, object]>([
    [{ outcome: 'transferred' }, { status: 'transferred', ...times, duration: 90, cost: 2_000 }],
    [{ outcome: 'failed' }, { status: 'failed', ...times, duration: 90, cost: 2_000 }],
    [{ outcome: 'no_answer' }, { status: 'no_answer', ...times, duration: 90, cost: 2_000 }],
    [
      { outcome: 'busy', started_at: undefined },
      { status: 'busy', ended_at: times.ended_at, duration: 0, cost: 0 },
    ],
    [
      { outcome: 'canceled', started_at: undefined },
      { status: 'canceled', ended_at: times.ended_at, cost: 0 },
    ],
  ])('end it with the times of the connection if it connected: %j', async (report, end) => {
    const world = callWorld([aClaimedCall()]);
    await world.apply(aReport(report));
    expect(world.stored()).toMatchObject(end);
    expect('started_at' in world.stored()).toBe('started_at' in end);
  });

  it('charge the rate of the called country, which the hold used', async () => {
    const world = callWorld([aClaimedCall({ rate: 2_500, held: 25_000 })]);
    expect(await world.apply(aReport())).toBe('completed');
    expect(world.stored().cost).toBe(5_000);
    expect(world.credit()).toEqual({ available: CREDIT - 5_000, held: 0 });
    expectConsistent(world);
  });

  it('charge at most the hold, and count the excess', async () => {
    const world = callWorld([aClaimedCall({ held: 1_000 })]);
    expect(await world.apply(aReport())).toBe('completed');
    expect(world.stored()).toMatchObject({ cost: 1_000, beyond_hold: 1_000 });
    expect([world.credit(), world.counted]).toEqual([{ available: CREDIT - 1_000, held: 0 }, ['UnitsBeyondHold']]);
  });

  it('are counted as a double dial if they come from a second call of the platform', async () => {
    const world = callWorld([aClaimedCall({ platform_id: 'p7' })]);
    for (const message of messages) expect(await world.apply(message)).toBe('double_dial');
    // Only messages of a live call need a hang-up.
    const live = messages.filter(({ kind }) => kind === 'progress');
    expect(world.deps.dialQueue.sent.map(({ message }) => message)).toEqual(
      live.map(() => ({ call_id: CALL, hang_up: { platform_id: 'p1', tries: 0 } })),
    );
    const second_platform_ids = new Set(['p1']);
    expect(world.stored()).toEqual(aClaimedCall({ platform_id: 'p7', second_platform_ids }));
    expect(world.live()).toEqual({ stage: 1, [`org#${ORG}`]: 1 });
  });

  it.each<[string, Partial<Call>, PlatformMessage, string]>([
    ['rings after the call was ended as lost', { status: 'failed', ended_reason: 'lost' }, ringing, 'hang_up'],
    ['is reported after the call was ended as lost', { status: 'failed', ended_reason: 'lost' }, aReport(), 'ended'],
    [
      'did not ring, and whose attempt was given back as absent',
      { dial_claimed_at: undefined, status: 'dialing' },
      aReport({ outcome: 'not_dialed', started_at: undefined }),
      'no_attempt',
    ],
  ])(
    'store the id of a call of the platform that %s, so that an erasure deletes it',
    async (_name, over, message, result) => {
      const world = callWorld([aClaimedCall(over)]);
      expect(await world.apply(message)).toBe(result);
      expect(world.stored()).toEqual(aClaimedCall({ ...over, second_platform_ids: new Set(['p1']) }));
    },
  );

  it('store no id twice, and at most 100 ids', async () => {
    const known = { platform_id: 'p7', former_platform_ids: new Set(['p1']) };
    const world = callWorld([aClaimedCall(known)]);
    await world.apply(ringing);
    expect(world.stored()).toEqual(aClaimedCall(known));
    for (let number = 0; number < 103; number += 1)
      for (const _ of [1, 2]) await world.apply({ ...ringing, platform_id: `second-${number}` });
    expect(world.stored().second_platform_ids).toEqual(new Set(Array.from({ length: 100 }, (_, at) => `second-${at}`)));
  });
});
