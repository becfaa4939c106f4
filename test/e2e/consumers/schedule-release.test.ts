import { connectsOften } from '../../support/connections/crm-b.ts';
import { activityOf, passTimeUntilIst } from '../../support/leads/leads.ts';
import { aQuietLead } from '../../support/leads/quiet-lead.ts';
import {
  aConnectionWithWindow,
  aScheduledCall,
  decidedForLead,
  loseScheduleOf,
  scheduleCreatedOf,
  scheduleOf,
} from '../../support/leads/scheduled-leads.ts';
import { anOrg, changeOrg, expectBalancedBooks, stores } from '../../support/organizations/orgs.ts';
import { aPhoneNumber, endOf, readCall } from '../../support/rest/rest.ts';
import {
  crmB,
  eventually,
  passTime,
  pauseRecovery,
  recoverCalls,
  resumeRecovery,
  voice,
  workersAreIdle,
} from '../../support/stack/stack.ts';

const PATIENCE = 60;
// While the clock moves by half days, schedules would release calls and query CRM-B, too.
beforeAll(() => pauseRecovery());
afterAll(() => resumeRecovery());
beforeEach(async () => {
  await workersAreIdle();
  await crmB.reset();
  await crmB.settings(connectsOften);
});

describe('schedule-release', () => {
  it('calls a lead of the night when its window opens, by its schedule or through recover-calls', async () => {
    await passTimeUntilIst('22:30');
    const connected = await aConnectionWithWindow();
    const { org } = connected;
    const phone = aPhoneNumber();
    const call = await aScheduledCall(connected, phone);
    expect(await readCall(org, call.call_id)).toMatchObject({ status: 'scheduled', phone_number: phone });
    const withoutSchedule = await aScheduledCall(connected, aPhoneNumber());
    await loseScheduleOf(withoutSchedule);
    expect((await expectBalancedBooks(org.orgId)).held).toBe(0);
    expect(call.scheduled_for).toMatch(/T03:30:00\.000Z$/); // 09:00 in India

    const schedule = await scheduleCreatedOf(call);
    expect(schedule).toMatchObject({
      ScheduleExpression: `at(${call.scheduled_for?.slice(0, 19)})`,
      ScheduleExpressionTimezone: 'UTC',
      ActionAfterCompletion: 'DELETE',
    });
    expect(JSON.parse(schedule?.Target?.Input ?? '')).toEqual({ call_id: call.call_id });

    await passTimeUntilIst('08:58');
    await workersAreIdle();
    expect((await readCall(org, call.call_id)).status).toBe('scheduled');
    expect(await voice.rings(phone)).toBe(0);
    // The lead is fetched again, and its current fields count.
    await crmB.editLead(call.lead?.lead_id ?? '', { First_Name: 'Meera' }, { quiet: true });

    await passTimeUntilIst('09:00');
    expect(await endOf(org, call.call_id, PATIENCE)).toMatchObject({ status: 'completed' });
    expect(await voice.rings(phone)).toBe(1);
    const after = await stores.calls.get(call.call_id);
    expect(after?.lead?.fields).toMatchObject({ First_Name: 'Meera' });
    const wait = Date.parse(after?.dial_by ?? '') - Date.parse(call.scheduled_for ?? '');
    expect(Math.abs(wait - 2 * 3_600_000)).toBeLessThan(120_000);
    const entries = (await activityOf(connected, 3)).filter(({ call_id }) => call_id === call.call_id);
    expect(entries).toMatchObject([
      {
        source: 'release',
        outcome: 'call queued',
        call_id: call.call_id,
        event_id: expect.stringContaining('.release.'),
      },
      { source: 'webhook', outcome: 'call scheduled', call_id: call.call_id, scheduled_for: call.scheduled_for },
    ]);
    expect((await expectBalancedBooks(org.orgId)).held).toBe(0);
    await eventually(
      () => scheduleOf(call),
      (left) => left === undefined,
    );
    expect(await decidedForLead(connected, call.lead?.lead_id ?? '')).toMatchObject({ outcome: 'already_called' });

    await recoverCalls();
    await workersAreIdle();
    expect((await readCall(org, withoutSchedule.call_id)).status).toBe('scheduled');
    await passTime(181);
    expect((await recoverCalls()).release).toBeGreaterThanOrEqual(1);
    expect(await endOf(org, withoutSchedule.call_id, PATIENCE)).toMatchObject({ status: 'completed' });
  });

  it("postpones a call without a free line to the next window: no phone rings after the window's end", async () => {
    await passTimeUntilIst('20:55');
    const org = await anOrg({ limits: { max_live_calls: 0 } });
    const connected = await aConnectionWithWindow(org);
    const phone = aPhoneNumber();
    const entry = await decidedForLead(connected, await aQuietLead(phone));
    expect(entry.outcome).toBe('call queued');
    const callId = entry.call_id ?? '';
    const queued = await stores.calls.get(callId);
    expect(queued?.dial_by).toMatch(/T15:30:00\.000Z$/); // 21:00 in India
    expect((await expectBalancedBooks(org.orgId)).held).toBe(0);

    await passTimeUntilIst('21:00');
    await changeOrg(org.orgId, { max_live_calls: 5 });
    // Either the dial, after a slot is handed over, or recover-calls finds that it is too late.
    await recoverCalls();
    const postponed = await eventually(
      () => stores.calls.get(callId),
      (call) => call?.status === 'scheduled',
    );
    expect(postponed).toMatchObject({ held: 0, postponements: 1 });
    expect(postponed?.scheduled_for).toMatch(/T03:30:00\.000Z$/);
    expect((await expectBalancedBooks(org.orgId)).held).toBe(0);
    await scheduleCreatedOf(postponed as never);
    expect(await voice.rings(phone)).toBe(0);

    await passTimeUntilIst('09:00');
    expect(await endOf(org, callId, PATIENCE)).toMatchObject({ status: 'completed' });
    expect(await voice.rings(phone)).toBe(1);
    expect((await activityOf(connected, 3)).map(({ source, outcome }) => `${source}: ${outcome}`)).toEqual([
      'release: call queued',
      'dial: call scheduled',
      'webhook: call queued',
    ]);
    expect((await expectBalancedBooks(org.orgId)).held).toBe(0);
  });
});
