import fc from 'fast-check';
import {
  type CallStatus,
  callStatuses,
  isTerminal,
  mayBecome,
  openStatuses,
  rankOf,
  statusesBelow,
} from '../../../../shared/domain/calls/call-status.ts';
import { forAll } from '../../../support/values/for-all.ts';

const anyStatus = fc.constantFrom(...callStatuses);
const move = (current: CallStatus, next: CallStatus) => (mayBecome(current, next) ? next : current);
const ends: CallStatus[] = ['completed', 'transferred', 'no_answer', 'busy', 'failed', 'canceled'];

describe('the order of call statuses', () => {
  it('has eleven statuses, six of which are ends', () => {
    expect(callStatuses).toHaveLength(11);
    expect(callStatuses.filter(isTerminal).sort()).toEqual([...ends].sort());
    expect(openStatuses).toEqual(['scheduled', 'queued', 'dialing', 'ringing', 'in_progress']);
  });

  it('allows a call to skip statuses, but never to go back', () => {
    for (const end of callStatuses.filter(isTerminal)) {
      const path = [...openStatuses, end];
      for (const [from, current] of path.entries())
        for (const [to, next] of path.entries()) expect(mayBecome(current, next)).toBe(to > from);
    }
  });

  it('allows no status to replace an end, not even another end', () => {
    for (const end of callStatuses.filter(isTerminal))
      for (const next of callStatuses) expect(mayBecome(end, next)).toBe(false);
    expect(new Set(ends.map(rankOf))).toEqual(new Set([rankOf('in_progress') + 1]));
  });

  it('gives the same final status for any order and repetition of messages that contain one end', () => {
    const messages = fc.tuple(fc.subarray(openStatuses), fc.constantFrom(...ends)).chain(([open, end]) => {
      const thrice = [...open, end].flatMap((status) => [status, status, status]);
      return fc.tuple(fc.constant(thrice), fc.shuffledSubarray(thrice, { minLength: thrice.length }));
    });
    forAll([messages, anyStatus], ([inOrder, shuffled], start) => {
      expect(shuffled.reduce(move, start)).toBe(inOrder.reduce(move, start));
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
