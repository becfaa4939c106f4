import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type CallStatus,
  callStatuses,
  isTerminal,
  mayBecome,
  openStatuses,
  statusesBelow,
} from '../../../../shared/domain/calls/call-status.ts';
import { forAll } from '../../../support/for-all.ts';

const anyStatus = fc.constantFrom(...callStatuses);
const move = (current: CallStatus, next: CallStatus) => (mayBecome(current, next) ? next : current);
const ends = ['completed', 'transferred', 'no_answer', 'busy', 'failed', 'canceled'];
const path: CallStatus[] = ['scheduled', 'queued', 'dialing', 'ringing', 'in_progress', 'completed'];

describe('the order of call statuses', () => {
  it('has eleven statuses, six of which are ends', () => {
    expect(callStatuses).toHaveLength(11);
    expect(callStatuses.filter(isTerminal).sort()).toEqual([...ends].sort());
    expect(openStatuses).toEqual(['scheduled', 'queued', 'dialing', 'ringing', 'in_progress']);
  });

  it('allows a call to skip statuses, but never to go back', () => {
    for (const [from, current] of path.entries())
      for (const [to, next] of path.entries()) expect(mayBecome(current, next)).toBe(to > from);
  });

  it('allows no status to replace an end, not even another end', () => {
    for (const end of callStatuses.filter(isTerminal))
      for (const next of callStatuses) expect(mayBecome(end, next)).toBe(false);
  });

  it('is a strict order: irreflexive, asymmetric and transitive', () => {
    forAll([anyStatus, anyStatus, anyStatus], (a, b, c) => {
      expect(mayBecome(a, a)).toBe(false);
      expect(mayBecome(a, b) && mayBecome(b, a)).toBe(false);
      if (mayBecome(a, b) && mayBecome(b, c)) expect(mayBecome(a, c)).toBe(true);
    });
  });

  it('gives the same final status for any order and repetition of messages that contain one end', () => {
    const messages = fc
      .tuple(fc.subarray(openStatuses), fc.constantFrom(...ends) as fc.Arbitrary<CallStatus>)
      .chain(([open, end]) => {
        const all = [...open, end];
        return fc.record({
          all: fc.constant(all),
          shuffled: fc.shuffledSubarray([...all, ...all, ...all], { minLength: all.length * 3 }),
        });
      });
    forAll([messages, anyStatus], ({ all, shuffled }, start) => {
      expect(shuffled.reduce(move, start)).toBe(all.reduce(move, start));
    });
  });

  it('lists exactly the replaceable statuses for a conditional write', () => {
    forAll([anyStatus, anyStatus], (current, next) => {
      expect(statusesBelow(next).includes(current)).toBe(mayBecome(current, next));
    });
    expect(statusesBelow('completed')).toEqual(openStatuses);
    expect(statusesBelow('scheduled')).toEqual([]);
  });
});
