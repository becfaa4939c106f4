import { isSpendCounted, spendStopReason } from '../../../../../shared/domain/calls/dialing/spend-limit.ts';

const day = '2026-11-23';

describe('a daily spend limit', () => {
  it('counts a call once a day, however often it is dialed', () => {
    expect(isSpendCounted({ spend: { day, of_stage: false } }, day)).toBe(true);
    expect(isSpendCounted({ spend: { day: '2026-11-22', of_stage: false } }, day)).toBe(false);
    expect(isSpendCounted({ spend: undefined }, day)).toBe(false);
  });

  it('is explained with its owner and the role that can raise it; the service’s limit is explained without its amount', () => {
    expect(spendStopReason({ of: 'org', limit: 250_500 })).toBe(
      "The organization's daily spend limit of 250.5 credits is reached; the call waits. " +
        'The operator can raise the limit; a new day begins at midnight in India.',
    );
    expect(spendStopReason({ of: 'stage', limit: 250_500 })).toBe(
      "The service's daily spend limit is reached; the call waits. The operator can raise the limit.",
    );
  });
});
