import {
  admit,
  connectionReceiver,
  type Receiver,
  type ReceiverOutcome,
  receiverSchema,
  settleAttempt,
  waitSeconds,
} from '../../../../shared/domain/after-call/receiver.ts';
import { secondsAfter, secondsBetween } from '../../../../shared/domain/time/instants.ts';

const START = '2026-03-02T06:00:00.000Z';
const at = (seconds: number) => new Date(secondsAfter(START, seconds));
const lease = (id: string, until = 60) => ({ id, until: secondsAfter(START, until) });

/** @returns the receiver after these leases were taken */
function enter(known: Receiver | undefined, id: string, now: number): Receiver {
  const admission = admit('r', known, lease(id, now + 60), at(now));
  if (admission.kind !== 'admitted') throw new Error(admission.reason);
  return admission.next;
}
const settle = (known: Receiver, leaseId: string, outcome: ReceiverOutcome, now: number, random = 0) =>
  settleAttempt(known, { leaseId, outcome, now: at(now), random });
const attempt = (known: Receiver | undefined, outcome: ReceiverOutcome, now: number) =>
  settle(enter(known, 'a', now), 'a', outcome, now);
const failing = (times: number, every = 1): Receiver => {
  let known: Receiver | undefined;
  for (let count = 0; count < times; count += 1) known = attempt(known, 'unanswered', count * every);
  return known as Receiver;
};

describe('a receiver', () => {
  it('takes three attempts at once, and another when one ends or its worker must have died', () => {
    const full = enter(enter(enter(attempt(undefined, 'answered', 0), 'a', 0), 'b', 1), 'c', 2);
    expect(admit('r', full, lease('d'), at(3))).toEqual({ kind: 'refused', reason: 'busy', isAnswering: true });
    expect(admit('r', settle(full, 'b', 'answered', 3), lease('d'), at(3)).kind).toBe('admitted');
    expect(admit('r', full, lease('d'), at(59.9)).kind).toBe('refused');
    expect(admit('r', full, lease('d'), at(60)).kind).toBe('admitted');
  });

  it('takes two attempts at once while it is new, or after a failure', () => {
    for (const known of [undefined, attempt(attempt(undefined, 'answered', 0), 'unanswered', 0)]) {
      const full = enter(enter(known, 'a', 0), 'b', 1);
      expect(admit('r', full, lease('c'), at(2))).toEqual({ kind: 'refused', reason: 'busy', isAnswering: false });
      expect(enter(settle(full, 'a', 'unused', 2), 'c', 2).leases).toHaveLength(2);
      expect(enter(enter(settle(full, 'a', 'answered', 2), 'c', 2), 'd', 2).leases).toHaveLength(3);
    }
  });

  it('recognizes its own lease if the answer to the write was lost', () => {
    const known = enter(undefined, 'a', 0);
    expect(admit('r', known, lease('a'), at(1))).toEqual({ kind: 'admitted', next: known });
  });

  it('takes no attempt after four failures in a row, then one probe, and all again after an answer', () => {
    expect(admit('r', failing(3), lease('b'), at(3)).kind).toBe('admitted');
    const open = failing(4);
    const until = secondsAfter(START, 3 + 30);
    expect(admit('r', open, lease('b'), at(32.9))).toEqual({ kind: 'refused', reason: 'open', until });
    const probing = enter(open, 'b', 33);
    expect(admit('r', probing, lease('c'), at(34))).toMatchObject({ kind: 'refused', reason: 'busy' });
    const healthy = settle(probing, 'b', 'answered', 35);
    expect(healthy).toMatchObject({ failures: 0, leases: [] });
    expect(healthy.open_until).toBeUndefined();
    expect(admit('r', enter(healthy, 'c', 36), lease('d'), at(36)).kind).toBe('admitted');
  });

  it('waits 30 s to 5 min for the next probe, longer after each one that fails', () => {
    let known = failing(4);
    const waits = [30];
    for (let probe = 0; probe < 5; probe += 1) {
      const now = secondsBetween(START, known.open_until ?? START);
      known = attempt(known, 'unanswered', now);
      waits.push(secondsBetween(START, known.open_until ?? START) - now);
    }
    expect(waits).toEqual([30, 60, 120, 240, 300, 300]);
    expect(secondsBetween(START, settle(enter(failing(3), 'x', 3), 'x', 'unanswered', 3, 1).open_until ?? '')).toBe(
      25.5,
    );
  });

  it('takes no attempt before the time that it demands, but waits for 15 minutes at most', () => {
    const waits = [600, 86_400].map((retryAfterSeconds) => {
      const known = enter(undefined, 'a', 0);
      const answer = { outcome: 'unanswered', retryAfterSeconds } as const;
      const { open_until = '' } = settleAttempt(known, { leaseId: 'a', ...answer, now: at(0), random: 1 });
      return secondsBetween(START, open_until);
    });
    expect(waits).toEqual([600, 900]);
  });

  it.each<[string, (known: Receiver) => Receiver]>([
    ['an answer in between', (known) => attempt(known, 'answered', 3)],
    ['more than ten minutes in between', (known) => known],
  ])('has a closed breaker after four failures with %s', (_name, between) => {
    expect(attempt(between(failing(3)), 'unanswered', 2 + 601).open_until).toBeUndefined();
  });

  it('ignores attempts that sent nothing or began before the breaker opened', () => {
    expect(attempt(failing(3), 'unused', 3)).toMatchObject({ failures: 3, leases: [] });
    const late = settle({ ...failing(4), leases: [lease('old')] }, 'old', 'unanswered', 5);
    expect(late).toMatchObject({ failures: 4, open_until: failing(4).open_until, leases: [] });
  });

  it('has a new version after every attempt and every end, and is stored for a day', () => {
    const first = enter(undefined, 'a', 0);
    const day = Date.parse(START) / 1_000 + 86_400;
    expect(first).toEqual({ receiver: 'r', version: 1, leases: [lease('a')], failures: 0, expires_at: day });
    const ended = settle(first, 'a', 'answered', 1.5);
    const answered_at = secondsAfter(START, 1.5);
    expect(ended).toEqual({ receiver: 'r', version: 2, leases: [], failures: 0, answered_at, expires_at: day + 1 });
    const complete: Receiver = { ...failing(4), leases: [lease('b')], answered_at: START };
    expect(receiverSchema.parse(complete)).toEqual(complete);
    expect(receiverSchema.safeParse({ ...complete, leases: [{ id: 'b' }] }).success).toBe(false);
    expect(receiverSchema.safeParse({}).success).toBe(false);
  });

  it('only loses the lease of an attempt that sent no request', () => {
    for (const known of [attempt(undefined, 'answered', 0), failing(3), failing(4)]) {
      const { version, leases, ...rest } = settle({ ...known, leases: [lease('a')] }, 'a', 'unused', 3);
      const { version: before, leases: _, ...was } = known;
      expect([version, leases, rest]).toEqual([before + 1, [], { ...was, expires_at: rest.expires_at }]);
    }
  });

  it('counts failures in a row up to ten minutes apart, and further apart after a longer stop', () => {
    expect(attempt(failing(3), 'unanswered', 2 + 600).failures).toBe(4);
    const known = enter(failing(3), 'a', 3);
    const demanded = { leaseId: 'a', outcome: 'unanswered', retryAfterSeconds: 900, now: at(3), random: 0 } as const;
    expect(attempt(settleAttempt(known, demanded), 'unanswered', 3 + 900).failures).toBe(5);
  });

  it('does not count as answering after the late failure of an attempt that began before its breaker opened', () => {
    const open = { ...failing(4), leases: [lease('old')], answered_at: START };
    const late = settle(open, 'old', 'unanswered', 5);
    expect(late).toMatchObject({ failed_at: open.failed_at, open_until: open.open_until });
    expect(late.answered_at).toBeUndefined();
  });

  it('has one name for each connection', () => {
    expect(connectionReceiver('conn_1')).toBe('connection conn_1');
  });
});

describe('refused work', () => {
  it('waits as long as before, 5 s to 5 min, or a third of that if its receiver answers, plus up to half at random', () => {
    const wait = (waited: number, random: number, isAnswering = false) =>
      waitSeconds({ kind: 'refused', reason: 'busy', isAnswering }, START, at(waited), random);
    expect([0, 5, 60, 300, 9_000].map((waited) => wait(waited, 0))).toEqual([5, 5, 60, 300, 300]);
    expect(wait(60, 1)).toBe(90);
    expect([0, 5, 60, 9_000].map((waited) => wait(waited, 0, true))).toEqual([1, 5 / 3, 20, 300]);
  });

  it('waits for the breaker and up to half a minute more', () => {
    const refusal = { kind: 'refused', reason: 'open', until: secondsAfter(START, 100) } as const;
    expect([0, 1].map((random) => waitSeconds(refusal, START, at(40), random))).toEqual([60, 90]);
    expect(waitSeconds(refusal, START, at(200), 0)).toBe(0);
  });
});
