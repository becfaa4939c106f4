import { describe, expect, it } from '@jest/globals';
import { nextTurnAt, turnAttributes } from '../../../../shared/domain/calls/turn.ts';

const finished_at = '2026-03-02T06:00:00.000Z';
const later = '2026-03-02T06:01:30.000Z';

describe.each(['crm-b', 'help-desk'] as const)('the next turn of %s', (kind) => {
  const { work, after } = turnAttributes[kind];

  it('may be taken from the end of the call on, or from the end of the turn before', () => {
    expect(nextTurnAt({ finished_at, [work]: 'pending' }, kind)).toBe(finished_at);
    expect(nextTurnAt({ finished_at, [work]: 'pending', [after]: later }, kind)).toBe(later);
  });

  it('does not exist before the call is finished, nor without work', () => {
    expect(nextTurnAt({ [work]: 'pending' }, kind)).toBeUndefined();
    expect(nextTurnAt({ finished_at, [work]: 'done' }, kind)).toBeUndefined();
    expect(nextTurnAt({ finished_at }, kind)).toBeUndefined();
  });
});
