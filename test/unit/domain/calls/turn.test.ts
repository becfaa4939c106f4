import { describe, expect, it } from '@jest/globals';
import { nextTurnAt, turnAttributes } from '../../../../shared/domain/calls/turn.ts';

const finished_at = '2026-03-02T06:00:00.000Z';
const later = '2026-03-02T06:01:30.000Z';

describe.each(['crm-b', 'help-desk'] as const)('the next turn of %s', (kind) => {
  const { work, after } = turnAttributes[kind];

  it('may be taken after the call is finished, or after the previous turn ends', () => {
    expect(nextTurnAt({ finished_at, [work]: 'pending' }, kind)).toBe(finished_at);
    expect(nextTurnAt({ finished_at, [work]: 'pending', [after]: later }, kind)).toBe(later);
  });

  it('does not exist before the call is finished or without pending work', () => {
    expect(nextTurnAt({ [work]: 'pending' }, kind)).toBeUndefined();
    expect(nextTurnAt({ finished_at, [work]: 'done' }, kind)).toBeUndefined();
    expect(nextTurnAt({ finished_at }, kind)).toBeUndefined();
  });
});
