import { callSchema } from '../../../../../shared/domain/calls/call.ts';
import { isScheduled, mayPostpone } from '../../../../../shared/domain/calls/dialing/scheduled-call.ts';
import { aCall, aCalledLead } from '../../../support/call.ts';

const scheduled_for = '2026-03-03T03:30:00.000Z';
const lead = aCalledLead();
const scheduled = aCall({ status: 'scheduled', unfinished: 'scheduled', scheduled_for, lead, held: 0, holds: 0 });

describe('a call that waits for its call window', () => {
  it('has the status, a lead and a time', () => {
    expect(isScheduled(scheduled)).toBe(true);
    for (const other of [
      undefined,
      aCall({ lead, scheduled_for }),
      { ...scheduled, status: 'canceled' as const },
      callSchema.parse({ ...scheduled, lead: undefined }),
      callSchema.parse({ ...scheduled, scheduled_for: undefined }),
    ])
      expect(isScheduled(other)).toBe(false);
  });

  it('is postponed seven times at most', () => {
    expect(mayPostpone(scheduled)).toBe(true);
    expect(mayPostpone({ postponements: 6 })).toBe(true);
    expect(mayPostpone({ postponements: 7 })).toBe(false);
  });
});
