import {
  admitCallback,
  CALLBACK_WORKERS,
  type CallbackHosts,
  callbackHost,
  callbackHostsSchema,
  callbacksOf,
  settleCallback,
} from '../../../../../shared/domain/after-call/callbacks/callback-hosts.ts';
import type { ReceiverOutcome } from '../../../../../shared/domain/after-call/receiver.ts';
import { secondsAfter } from '../../../../../shared/domain/time/instants.ts';

const START = '2026-03-02T06:00:00.000Z';
const DAY = 86_400;
const at = (seconds: number) => new Date(secondsAfter(START, seconds));
const receiver = callbacksOf('org1');

const tryAt = (known: CallbackHosts | undefined, host: string, id: string, now = 0) =>
  admitCallback({ receiver, host }, known, { id, until: secondsAfter(START, now + 60) }, at(now));

/** @returns the item after an attempt has begun at a host */
function enter(known: CallbackHosts | undefined, host: string, id = host, now = 0): CallbackHosts {
  const admission = tryAt(known, host, id, now);
  if (admission.kind !== 'admitted') throw new Error(admission.reason);
  return admission.next;
}
const settle = (known: CallbackHosts, leaseId: string, outcome: ReceiverOutcome, now = 0) =>
  settleCallback(known, { leaseId, outcome, now: at(now), random: 0 });

/** @returns the item after one attempt at each host */
const tried = (outcome: ReceiverOutcome, hosts: readonly string[], known?: CallbackHosts, now = 0) =>
  hosts.reduce<CallbackHosts | undefined>(
    (item, host) => settle(enter(item, host, 'once', now), 'once', outcome, now),
    known,
  ) as CallbackHosts;
const enterAll = (known: CallbackHosts | undefined, hosts: readonly string[]) =>
  hosts.reduce<CallbackHosts | undefined>((item, host) => enter(item, host), known) as CallbackHosts;
const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

describe('the hosts of an organization', () => {
  it('have six attempts at once if they answer, less than a third of the workers', () => {
    const answering = names('a', 7);
    const full = enterAll(tried('answered', answering), answering.slice(0, 6));
    expect(full.leases).toHaveLength(6);
    expect(6).toBeLessThan(CALLBACK_WORKERS / 3);
    expect(tryAt(full, 'a6', 'x')).toEqual({ kind: 'refused', reason: 'share', isAnswering: true });
    expect(tryAt(full, 'new', 'x')).toEqual({ kind: 'refused', reason: 'share', isAnswering: false });
    expect(enter(settle(full, 'a0', 'answered'), 'a6').leases).toHaveLength(6);
  });

  it('have four attempts at once if they are new, so that two are left for hosts that answer', () => {
    const full = enterAll(tried('answered', ['a0', 'a1', 'a2']), names('n', 4));
    expect(tryAt(full, 'n4', 'x')).toEqual({ kind: 'refused', reason: 'share', isAnswering: false });
    const more = enterAll(full, ['a0', 'a1']);
    expect(tryAt(more, 'a2', 'x')).toEqual({ kind: 'refused', reason: 'share', isAnswering: true });
    expect(enterAll(tried('answered', ['a0']), ['a0', ...names('n', 4)]).leases).toHaveLength(5);
  });

  it('have three attempts at once if they failed last, so that one is left for new hosts', () => {
    const failed = tried('unanswered', names('f', 4));
    const full = enterAll(failed, names('f', 3));
    expect(tryAt(full, 'f3', 'x')).toEqual({ kind: 'refused', reason: 'share', isAnswering: false });
    const more = enter(full, 'n0');
    expect(tryAt(more, 'n1', 'x').kind).toBe('refused');
    expect(enterAll(failed, ['f0', 'f1', 'n0', 'f2']).leases).toHaveLength(4);
    expect(tryAt(enterAll(failed, names('n', 4)), 'f0', 'x').kind).toBe('refused');
  });

  it('have room for another attempt when a worker must have died', () => {
    const full = enterAll(undefined, names('n', 4));
    expect(tryAt(full, 'n4', 'x', 59.9).kind).toBe('refused');
    expect(enter(full, 'n4', 'x', 60).leases).toEqual([{ id: 'x', host: 'n4', until: secondsAfter(START, 120) }]);
  });

  it('each follow the rules of a receiver', () => {
    const busy = enter(enter(undefined, 'a', '1'), 'a', '2');
    expect(tryAt(busy, 'a', '3')).toEqual({ kind: 'refused', reason: 'busy', isAnswering: false });
    expect(tryAt(busy, 'b', '3').kind).toBe('admitted');
    const open = tried('unanswered', Array(4).fill('a'));
    expect(tryAt(open, 'a', '1', 29)).toEqual({ kind: 'refused', reason: 'open', until: secondsAfter(START, 30) });
    expect(tryAt(open, 'b', '1', 29).kind).toBe('admitted');
    expect(tryAt(open, 'a', '1', 30).kind).toBe('admitted');
    expect(tried('answered', ['a'], open, 30).hosts).toEqual([
      { host: 'a', failures: 0, answered_at: secondsAfter(START, 30) },
    ]);
  });

  it('recognize their own lease if the answer to its write was lost', () => {
    const known = enter(undefined, 'a', '1');
    expect(tryAt(known, 'a', '1', 1)).toEqual({ kind: 'admitted', next: known });
  });

  it('have a new version after every attempt and every end, and are stored for a day', () => {
    const first = enter(undefined, 'a', '1');
    const expires_at = Date.parse(START) / 1_000 + DAY;
    const lease = { id: '1', host: 'a', until: secondsAfter(START, 60) };
    expect(first).toEqual({ receiver: 'callbacks org1', version: 1, leases: [lease], hosts: [], expires_at });
    const second = enter(first, 'b', '2', 1);
    expect(second).toMatchObject({ version: 2, expires_at: expires_at + 1 });
    const ended = settle(second, '1', 'unanswered', 2);
    const leases = [{ id: '2', host: 'b', until: secondsAfter(START, 61) }];
    const hosts = [{ host: 'a', failures: 1, failed_at: secondsAfter(START, 2) }];
    expect(ended).toEqual({ receiver: 'callbacks org1', version: 3, leases, hosts, expires_at: expires_at + 2 });
    expect(settle(second, '2', 'unanswered', 2).hosts).toMatchObject([{ host: 'b' }]);
    expect(callbackHostsSchema.parse(ended)).toEqual(ended);
    expect(callbackHostsSchema.safeParse({ ...ended, leases: [{ id: '2', until: START }] }).success).toBe(false);
    expect(callbackHostsSchema.safeParse({ ...ended, hosts: [{ failures: 1 }] }).success).toBe(false);
    expect(callbackHostsSchema.safeParse({}).success).toBe(false);
  });

  it('are neither added nor changed by an attempt that sent no request', () => {
    expect(tried('unused', ['a'])).toMatchObject({ leases: [], hosts: [] });
    const known = tried('unanswered', ['a']);
    expect(tried('unused', ['a'], known, 5).hosts).toEqual(known.hosts);
  });

  it('are stored until a day after their last answer or failure', () => {
    const known = tried('unanswered', ['b'], tried('answered', ['a']));
    const hostsAfter = (seconds: number) => tried('answered', ['c'], known, seconds).hosts.map(({ host }) => host);
    expect(hostsAfter(DAY)).toEqual(['b', 'a', 'c']);
    expect(hostsAfter(DAY + 1)).toEqual(['c']);
  });

  it('are limited to the latest 100 that answered and the latest 100 that failed', () => {
    const answering = names('a', 101);
    const known = tried('unanswered', names('f', 102), tried('answered', answering));
    const again = tried('answered', ['a1'], known);
    const expected = [...names('f', 102).slice(2), ...names('a', 101).slice(2), 'a1'];
    expect(again.hosts.map(({ host }) => host)).toEqual(expected);
  });

  it('are named by host and port, and by a fixed name for an invalid address', () => {
    expect(callbackHost('https://a.example:8443/x?y')).toBe('a.example:8443');
    expect(callbackHost('https://a.example/x')).toBe('a.example');
    expect(callbackHost('nowhere')).toBe('no-host');
    expect(callbacksOf('org2')).toBe('callbacks org2');
  });
});
