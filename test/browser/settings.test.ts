import type { Call } from '../../shared/domain/calls/call.ts';
import { newAssistantId } from '../../shared/domain/ids.ts';
import { aGrantedConnection, CRM_B_OWNER, connectsOften } from '../support/connections/crm-b.ts';
import { aHelpDeskConnection, anAnalysis, aTicketCall, queueTicket } from '../support/connections/help-desk.ts';
import { aMember } from '../support/dashboard/dashboard.ts';
import { activityOf, passTimeUntilIst } from '../support/leads/leads.ts';
import { decidedForLead } from '../support/leads/scheduled-leads.ts';
import { anOrg, stores } from '../support/organizations/orgs.ts';
import { aPhoneNumber } from '../support/rest/rest.ts';
import { crmB, eventually, helpDesk, now, passTime, runSchedule } from '../support/stack/stack.ts';
import { aVisitor, describeInBrowser } from './support/browser.ts';
import { press } from './support/keyboard.ts';
import { heading, signIn } from './support/sign-in.ts';

const noSession = { status: 401, path: /\/session\/refresh$/ };
const OTHER_OWNER = '554000000000102';
const DAYS_OF_WEEK = 7;
const DAY_SECONDS = 86_400;
const IST_AHEAD_MS = 5.5 * 3_600_000;

const inIndia = () => new Date(now().getTime() + IST_AHEAD_MS);

/** Passes time until ten o'clock on a Sunday morning in India. */
async function passTimeUntilSunday(): Promise<void> {
  await passTimeUntilIst('10:00');
  await passTime(((DAYS_OF_WEEK - inIndia().getUTCDay()) % DAYS_OF_WEEK) * DAY_SECONDS);
}

describeInBrowser('a setting that an admin changes', () => {
  it('of CRM-B and of the organization applies to the next lead', async () => {
    await passTimeUntilSunday();
    await crmB.settings(connectsOften);
    const org = await anOrg();
    const asha = await stores.assistants.get(org.assistantId);
    const tara = { ...(asha as NonNullable<typeof asha>), assistant_id: newAssistantId(), name: 'Tara' };
    await stores.transact({ tara: stores.assistants.adding(tara) });
    const connected = await aGrantedConnection(org, { trigger_owner_user_id: CRM_B_OWNER });
    const lead = async (fields: object = {}, owner = OTHER_OWNER) => {
      const put = { fields: { Last_Name: 'Rao', Mobile: aPhoneNumber(), ...fields }, owner, quiet: true };
      return (await crmB.putLeads([put]))[0] ?? '';
    };
    const outcomeOf = async (leadId: Promise<string>) => decidedForLead(connected, await leadId);

    const { page } = await aVisitor([noSession]);
    await page.goto(`/connections/${connected.connectionId}`);
    await signIn(page, await aMember(org, 'admin'));
    const save = async () => {
      await press(page.getByRole('button', { name: 'Save', exact: true }));
      await page.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' });
    };
    const time = (label: string) => page.getByLabel(label, { exact: true });
    await page.getByLabel('Lead owner').selectOption(OTHER_OWNER);
    await page.getByLabel('Assistant').selectOption('Tara');
    await time('From').fill('09:00');
    await time('Until').fill('21:00');
    await press(page.getByLabel('Call again on Sundays'), 'Space');
    await page.getByLabel('Field of the lead').selectOption('Call_Disposition');
    await page.getByRole('combobox', { name: 'Value', exact: true }).selectOption('RNR');
    await save();
    const called = await outcomeOf(lead());
    expect(called.outcome).toBe('call queued');
    expect((await stores.calls.get(called.call_id ?? ''))?.assistant_id).toBe(tara.assistant_id);
    expect((await outcomeOf(lead({}, CRM_B_OWNER))).outcome).toBe('owner_mismatch');
    const swept = await lead({ Call_Disposition: 'RNR' });
    await runSchedule('sunday-sweep');
    const entries = await eventually(
      () => activityOf(connected, 0),
      (all) => all.some(({ lead_id }) => lead_id === swept),
    );
    expect(entries.find(({ lead_id }) => lead_id === swept)).toMatchObject({ event: 'sunday_retry' });

    await press(page.getByLabel('Not on Sundays'), 'Space');
    await save();
    const monday = new Date(inIndia().getTime() + DAY_SECONDS * 1000).toISOString().slice(0, 10);
    const onMonday = { outcome: 'call scheduled', scheduled_for: `${monday}T03:30:00.000Z` };
    expect(await outcomeOf(lead())).toMatchObject(onMonday);
    await press(page.getByLabel('Not on Sundays'), 'Space');
    await time('Until').fill('09:30');
    await save();
    expect(await outcomeOf(lead())).toMatchObject(onMonday);

    await press(page.getByRole('link', { name: 'Organization', exact: true }));
    const own = aPhoneNumber();
    await page.getByLabel('Your own numbers').fill(own);
    await press(page.getByRole('button', { name: 'Save settings' }));
    await page.getByText('The settings are saved.').first().waitFor();
    expect((await outcomeOf(lead({ Mobile: own }))).outcome).toBe('own_platform_number');

    await page.goBack();
    await press(page.getByLabel('Call leads automatically'), 'Space');
    await save();
    expect((await outcomeOf(lead())).outcome).toBe('auto_call_disabled');
  });

  it('of the help desk applies to the next ticket', async () => {
    await helpDesk.reset();
    const org = await anOrg();
    const { connection_id } = await aHelpDeskConnection(org);
    const { page } = await aVisitor([noSession]);
    await page.goto(`/connections/${connection_id}`);
    await signIn(page, await aMember(org, 'admin'));
    await heading(page, 'Help desk').waitFor();
    // It becomes a list once the help desk has answered.
    const department = page.getByRole('combobox', { name: 'Department' });
    await department.selectOption({ index: 2 });
    const departmentId = await department.inputValue();
    await press(page.getByRole('button', { name: 'Set another condition' }));
    await page.getByLabel('Values', { exact: true }).fill('other');
    await page.getByLabel('Subject').fill('Call of {name}');
    await page.getByLabel('Description').fill('They said: {issue_summary}');
    await press(page.getByRole('button', { name: 'Set priority' }));
    await page.getByLabel('Priority, value 1').fill('other');
    await page.getByLabel('Priority, result 1').fill('Low');
    await press(page.getByRole('button', { name: 'Set classification' }));
    await page.getByLabel('Classification, all other values').fill('Question');
    await press(page.getByRole('button', { name: 'Set assignee' }));
    await page.getByLabel('Assignee, all other values').selectOption({ index: 1 });
    const assigneeId = await page.getByLabel('Assignee, all other values').inputValue();
    await press(page.getByRole('button', { name: 'Remove row 1 of assignee' }));
    await page.getByLabel('Tags').fill('voice\nnight');
    await press(page.getByLabel('Attach the recording'), 'Space');
    await press(page.getByLabel('Add the transcript'), 'Space');
    await press(page.getByRole('button', { name: 'Save', exact: true }));
    await page.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' });

    const analysis = anAnalysis({ lead_intent: 'other' });
    const [complaint, other] = [await aTicketCall(org), await aTicketCall(org, { analysis })];
    for (const { call_id } of [complaint, other]) await queueTicket(call_id);
    const until = (call_id: string, isSo: (call: Call) => boolean) =>
      eventually(
        () => stores.calls.get(call_id),
        (call) => call !== undefined && isSo(call),
      );
    await until(complaint.call_id, ({ ticket_work }) => ticket_work !== 'pending');
    await until(
      other.call_id,
      (call) => call.ticket_transcript?.state === 'written' && call.ticket_recording?.state === 'written',
    );
    expect(await helpDesk.listTickets({ phone: complaint.phone_number })).toEqual([]);
    expect(await helpDesk.listTickets({ phone: other.phone_number })).toMatchObject([
      {
        departmentId,
        assigneeId,
        subject: 'Call of Meera Iyer',
        description: 'They said: The tap in the kitchen drips since Monday.',
        priority: 'Low',
        classification: 'Question',
        tags: ['voice', 'night'],
        comments: [{ isPublic: false }],
        attachments: [{ name: `${other.call_id}.wav` }],
      },
    ]);
  });
});
