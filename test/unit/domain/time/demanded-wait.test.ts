import { demandedWait } from '../../../../shared/domain/time/demanded-wait.ts';

it('a demanded wait is obeyed for 15 minutes at most', () => {
  expect([undefined, 7, 900, 10_000].map((seconds) => demandedWait(seconds))).toEqual([0, 7, 900, 900]);
});
