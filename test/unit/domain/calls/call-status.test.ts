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

const anyStatus = fc.constantFrom(...callStatuses);
const move = (current: CallStatus, next: CallStatus) => (mayBecome(current, next) ? next : current);
const ends = ['completed', 'transferred', 'no_answer', 'busy', 'failed', 'canceled'];
const path: CallStatus[] = ['scheduled', 'queued', 'dialing', 'ringing', 'in_progress', 'completed'];

describe('the rank rule', () => {
  it('knows eleven statuses, six of them ends', () => {
    expect(callStatuses).toHaveLength(11);
    expect(callStatuses.filter(isTerminal).sort()).toEqual([...ends].sort());
    expect(openStatuses).toEqual(['scheduled', 'queued', 'dialing', 'ringing', 'in_progress']);
  });

  it('lets a call skip statuses forward and never step back', () => {
    path.forEach((current, from) => {
      path.forEach((next, to) => {
        expect(mayBecome(current, next)).toBe(to > from);
      });
    });
  });

  it('absorbs at the end: no status replaces an end, another end neither', () => {
    for (const end of callStatuses.filter(isTerminal))
      for (const next of callStatuses) expect(mayBecome(end, next)).toBe(false);
  });

  it('is a strict order: nothing replaces itself, no two statuses replace each other, and steps compose', () => {
    fc.assert(
      fc.property(anyStatus, anyStatus, anyStatus, (a, b, c) => {
        expect(mayBecome(a, a)).toBe(false);
        expect(mayBecome(a, b) && mayBecome(b, a)).toBe(false);
        if (mayBecome(a, b) && mayBecome(b, c)) expect(mayBecome(a, c)).toBe(true);
      }),
    );
  });

  it('ends in the same status whatever the order and the repeats of the messages, as long as only one end is among them', () => {
    const messages = fc
      .tuple(fc.subarray(openStatuses), fc.constantFrom(...ends) as fc.Arbitrary<CallStatus>)
      .chain(([open, end]) => {
        const all = [...open, end];
        return fc.record({
          all: fc.constant(all),
          shuffled: fc.shuffledSubarray([...all, ...all, ...all], { minLength: all.length * 3 }),
        });
      });
    fc.assert(
      fc.property(messages, anyStatus, ({ all, shuffled }, start) => {
        expect(shuffled.reduce(move, start)).toBe(all.reduce(move, start));
      }),
    );
  });

  it('asks a conditional write for exactly the statuses that may be replaced', () => {
    fc.assert(
      fc.property(anyStatus, anyStatus, (current, next) => {
        expect(statusesBelow(next).includes(current)).toBe(mayBecome(current, next));
      }),
    );
    expect(statusesBelow('completed')).toEqual(openStatuses);
    expect(statusesBelow('scheduled')).toEqual([]);
  });
});
