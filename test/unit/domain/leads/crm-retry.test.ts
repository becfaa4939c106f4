import {
  CRM_RETRIES_SECONDS,
  crmRetryDelay,
  mayReleaseWait,
  releaseRetryDelay,
  unlistedRetryDelay,
} from '../../../../shared/domain/leads/crm-retry.ts';

it('a lead is requested seven more times from an unavailable CRM, with doubling waits of at most 15 minutes', () => {
  expect([1, 2, 3, 4, 5, 6, 7, 8].map(crmRetryDelay)).toEqual([15, 30, 60, 120, 240, 480, 900, undefined]);
});

it('a lead of the Sunday sweep is then requested every 15 minutes until twelve hours have passed', () => {
  expect([1, 7].map((tries) => unlistedRetryDelay(tries, 43_200))).toEqual([15, 900]);
  expect(unlistedRetryDelay(8, 43_199)).toBe(900);
  expect(unlistedRetryDelay(8, 43_200)).toBeUndefined();
});

it('the doubling waits for an unavailable CRM end within 62 minutes', () => {
  expect(CRM_RETRIES_SECONDS).toBe(3_690);
});

it('a release is repeated within its window, for twelve hours at most', () => {
  expect([1, 7].map((tries) => releaseRetryDelay(tries, 0, 0))).toEqual([15, 900]);
  expect(releaseRetryDelay(8, 43_199, 901)).toBe(900);
  expect([releaseRetryDelay(8, 43_199, 900), releaseRetryDelay(8, 43_200, 9_000)]).toEqual([undefined, undefined]);
  expect([mayReleaseWait(43_199, 1), mayReleaseWait(43_200, 1)]).toEqual([true, false]);
  expect([mayReleaseWait(3_689, 0), mayReleaseWait(3_690, 0)]).toEqual([true, false]);
});
