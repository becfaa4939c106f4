import { istDay } from '../../shared/domain/time/ist-day.ts';
import { connectsOften } from '../support/crm-b.ts';
import { passTimeUntilIst } from '../support/leads.ts';
import { anOrg, stores } from '../support/orgs.ts';
import { aPhoneNumber, endOf, readCall } from '../support/rest.ts';
import {
  aConnectionWithWindow,
  aQuietLead,
  aScheduledCall,
  decidedForLead,
  scheduleCreatedOf,
  window,
} from '../support/scheduled-leads.ts';
import { crmB, now, passTime, pauseRecovery, resumeRecovery, voice, workersAreIdle } from '../support/stack.ts';

const DAY_SECONDS = 86_400;
const PATIENCE = 60;

/** Moves the clock to this time on the next Saturday in India. */
async function passTimeUntilSaturday(time: string): Promise<void> {
  await passTimeUntilIst(time);
  const weekday = new Date(`${istDay(now())}T12:00:00Z`).getUTCDay();
  await passTime(((6 - weekday + 7) % 7) * DAY_SECONDS);
}

// While the clock moves by days, schedules would release calls and query CRM-B, too.
beforeAll(() => pauseRecovery());
afterAll(() => resumeRecovery());
beforeEach(async () => {
  await workersAreIdle();
  await crmB.reset();
  await crmB.settings(connectsOften);
});

describe('a call window from 09:00 to 21:00', () => {
  it('opens at 09:00 and closes at 21:00, to the minute', async () => {
    const org = await anOrg();
    await passTimeUntilIst('08:57');
    const connected = await aConnectionWithWindow(org);
    const decided = async () => decidedForLead(connected, await aQuietLead(aPhoneNumber()));
    const today = istDay(now());
    expect(await decided()).toMatchObject({ outcome: 'call scheduled', scheduled_for: `${today}T03:30:00.000Z` });
    await passTimeUntilIst('09:00');
    expect(await decided()).toMatchObject({ outcome: 'call queued' });
    await passTimeUntilIst('20:57');
    const last = await decided();
    expect(last).toMatchObject({ outcome: 'call queued' });
    // It may wait for a line until the window closes, and not a second longer.
    expect((await stores.calls.get(last.call_id ?? ''))?.dial_by).toBe(`${today}T15:30:00.000Z`);
    await passTimeUntilIst('21:00');
    const tomorrow = istDay(new Date(now().getTime() + DAY_SECONDS * 1000));
    expect(await decided()).toMatchObject({ outcome: 'call scheduled', scheduled_for: `${tomorrow}T03:30:00.000Z` });
  });

  it('that excludes Sundays calls a lead of Saturday night on Monday morning', async () => {
    await passTimeUntilSaturday('22:00');
    const connected = await aConnectionWithWindow(undefined, { ...window, exclude_sunday: true });
    const phone = aPhoneNumber();
    const call = await aScheduledCall(connected, phone);
    const monday = istDay(new Date(now().getTime() + 2 * DAY_SECONDS * 1000));
    expect(call.scheduled_for).toBe(`${monday}T03:30:00.000Z`);
    await scheduleCreatedOf(call);

    await passTimeUntilIst('12:00');
    await workersAreIdle();
    expect(await readCall(connected.org, call.call_id)).toMatchObject({ status: 'scheduled' });
    await passTimeUntilIst('09:00');
    expect(await endOf(connected.org, call.call_id, PATIENCE)).toMatchObject({ status: 'completed' });
    expect(await voice.rings(phone)).toBe(1);
  });
});
