import { demandedWait } from '../../../../shared/domain/time/demanded-wait.ts';

it("a remote system's demanded wait is limited to 15 minutes", () => {
  expect([undefined, 7, 900, 10_000].map((seconds) => demandedWait(seconds))).toEqual([0, 7, 900, 900]);
});
