import { CRM_RETRIES_SECONDS, crmRetryDelay, sweepRetryDelay } from '../../../../shared/domain/leads/crm-retry.ts';

it('an unavailable CRM is requested seven more times, with doubling waits of at most 15 minutes', () => {
  expect([1, 2, 3, 4, 5, 6, 7, 8].map(crmRetryDelay)).toEqual([15, 30, 60, 120, 240, 480, 900, undefined]);
});

it('a lead of the Sunday sweep is requested every 15 minutes after that, until twelve hours have passed', () => {
  expect([1, 7].map((tries) => sweepRetryDelay(tries, 43_200))).toEqual([15, 900]);
  expect(sweepRetryDelay(8, 43_199)).toBe(900);
  expect(sweepRetryDelay(8, 43_200)).toBeUndefined();
});

it('no such wait is in progress after an hour', () => {
  expect(CRM_RETRIES_SECONDS).toBe(3_690);
});
