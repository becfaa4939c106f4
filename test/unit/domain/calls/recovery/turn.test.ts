import { isTurnMessageLost, nextTurnAt, turnAttributes } from '../../../../../shared/domain/calls/recovery/turn.ts';
import { secondsAfter } from '../../../../../shared/domain/time/instants.ts';
import { aCall } from '../../../support/call.ts';

const finished_at = '2026-03-02T06:00:00.000Z';
const later = '2026-03-02T06:01:30.000Z';

describe.each(['crm-b', 'help-desk'] as const)('the next turn of %s', (kind) => {
  const { work, after, sent } = turnAttributes[kind];

  it('may be taken after the call is finished, or after the previous turn ends', () => {
    expect(nextTurnAt({ finished_at, [work]: 'pending' }, kind)).toBe(finished_at);
    expect(nextTurnAt({ finished_at, [work]: 'pending', [after]: later }, kind)).toBe(later);
  });

  it('does not exist before the call is finished or without pending work', () => {
    expect(nextTurnAt({ [work]: 'pending' }, kind)).toBeUndefined();
    expect(nextTurnAt({ finished_at, [work]: 'done' }, kind)).toBeUndefined();
    expect(nextTurnAt({ finished_at }, kind)).toBeUndefined();
  });

  it('loses its message three minutes after it is due, or later if one was sent since', () => {
    const isLost = (seconds: number, over: object) =>
      isTurnMessageLost(aCall({ finished_at, ...over }), kind, new Date(secondsAfter(finished_at, seconds)));
    const due = { [work]: 'pending' };
    expect([isLost(179, due), isLost(180, due)]).toEqual([false, true]);
    const resent = { ...due, [sent]: secondsAfter(finished_at, 300) };
    expect([isLost(599, resent), isLost(600, resent)]).toEqual([false, true]);
    expect(isLost(1_000_000, { [work]: 'done' })).toBe(false);
  });
});
