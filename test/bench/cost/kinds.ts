import { isTerminal } from '../../../shared/domain/calls/call-status.ts';
import { callbackReceiver } from '../../support/callback-receiver.ts';
import { aCrmBConnection, connectsOften } from '../../support/crm-b.ts';
import { aHelpDeskConnection } from '../../support/help-desk.ts';
import { aConnection, decided, deliver, leadBody, passTimeUntilIst, type TestConnection } from '../../support/leads.ts';
import { anOrg, stores } from '../../support/orgs.ts';
import { aPhoneNumber, placeCall, readCall } from '../../support/rest.ts';
import { aConnectionWithWindow, aQuietLead, aScheduledCall, scheduleCreatedOf } from '../../support/scheduled-leads.ts';
import { crmB, eventually, inTime, now, passTime, voice, workersAreIdle } from '../../support/stack.ts';

/** How long people talk in the calls that are counted. */
const TALK_SECONDS = 120;
const NIGHT = '22:00';
const UNTIL_MORNING_SECONDS = 11.5 * 3_600;
const QUARTER_SECONDS = 15 * 60;

/** So many requests make V8 compile what they use, as in a function that has run for a while. */
const WARM_UP_REQUESTS = 150;

/** Something that the service does, from its cause to the last of its work. */
export type Kind = { name: string; once: () => Promise<unknown> };

const CREDITS = 1_000_000;
const anOrgWithCredit = () => anOrg({ credits: CREDITS });

/** Waits until a call has ended and is finished. */
const finished = async (callId: string) => {
  await eventually(
    () => stores.calls.get(callId),
    (call) => call !== undefined && isTerminal(call.status) && call.finished_at !== undefined,
    120,
  );
  await voice.untilIdle();
};

/** Prepares the kinds. @returns what ends them, too. */
export async function kindsOfWork(): Promise<{ kinds: Kind[]; stop: () => void }> {
  await voice.defaultScript({ behaviour: 'answer', talkSeconds: TALK_SECONDS });
  await crmB.settings({ ...connectsOften, credits: CREDITS });
  const org = await anOrgWithCredit();
  const withTickets = await anOrgWithCredit();
  await aHelpDeskConnection(withTickets, { attach_call_recording: true, attach_full_transcript: true });
  const receiver = await callbackReceiver();
  const crmA = await aConnection({}, await anOrgWithCredit());
  const leadsOfB = await aCrmBConnection({}, await anOrgWithCredit());
  const channel = (await crmB.channels()).find(({ notifyUrl }) => notifyUrl.endsWith(leadsOfB.connectionId));
  if (!channel) throw new Error('the connection has no channel');
  // By hand: CRM-B itself would notify every connection of the local cloud.
  const notify = async (id: string) => {
    const { notifyUrl, channelId: channel_id, token } = channel;
    const body = { server_time: now().getTime(), module: 'Leads', operation: 'insert', ids: [id], channel_id, token };
    await (await fetch(notifyUrl, { method: 'POST', body: JSON.stringify(body) })).arrayBuffer();
  };
  let nightly: ReturnType<typeof aConnectionWithWindow> | undefined;

  const call = async (of: typeof org, more: object = {}) =>
    finished(await placeCall(of, { phone_number: aPhoneNumber(), ...more }));
  const lead = async (of: TestConnection, body: object) => finished(String((await decided(of, body)).call_id));
  const last = await placeCall(org, { phone_number: aPhoneNumber() });
  await finished(last);
  const known = leadBody();
  await lead(crmA, known);
  const waits = await anOrg({ credits: CREDITS, limits: { max_live_calls: 0 } });
  for (let sent = 0; sent < WARM_UP_REQUESTS; sent += 1) {
    await readCall(org, last);
    await placeCall(waits, { phone_number: aPhoneNumber() });
    await deliver(crmA, known);
  }
  await workersAreIdle();

  const kinds: Kind[] = [
    { name: 'a request for the state of a call', once: () => readCall(org, last) },
    { name: 'a call by REST', once: () => call(org) },
    { name: '… with callbacks', once: () => call(org, { callback_url: receiver.address() }) },
    {
      name: '… that is not answered',
      once: async () => {
        const phone_number = aPhoneNumber();
        await voice.script(phone_number, { behaviour: 'no-answer' });
        await call(org, { phone_number });
      },
    },
    { name: '… with a ticket at the help desk', once: () => call(withTickets) },
    { name: 'a lead of CRM-A with its call', once: () => lead(crmA, leadBody()) },
    { name: '… whose lead was called before', once: () => decided(crmA, known) },
    {
      name: '… with a wrong token',
      once: () => deliver(crmA, leadBody(), { 'x-crma-webhook-token': 'wrong' }),
    },
    {
      name: 'a lead of CRM-B with its call, call log and note',
      once: async () => {
        const leadId = await aQuietLead(aPhoneNumber());
        await notify(leadId);
        const entries = await eventually(
          () => stores.activity.list(leadsOfB.connectionId),
          (all) => all.some(({ lead_id, call_id }) => lead_id === leadId && call_id !== undefined),
        );
        await finished(String(entries.find(({ lead_id }) => lead_id === leadId)?.call_id));
      },
    },
    {
      name: '… that waits for its call window',
      once: async () => {
        nightly ??= aConnectionWithWindow(await anOrgWithCredit());
        const connected = await nightly;
        await passTimeUntilIst(NIGHT);
        const waiting = await aScheduledCall(connected, aPhoneNumber());
        await scheduleCreatedOf(waiting);
        await passTime(UNTIL_MORNING_SECONDS);
        await inTime(
          () => stores.calls.get(waiting.call_id),
          (found) => found?.finished_at !== undefined,
          { seconds: QUARTER_SECONDS, most: 8 },
        );
      },
    },
  ];
  return {
    kinds: kinds.map(({ name, once }) => ({
      name,
      once: async () => {
        await once();
        await workersAreIdle();
      },
    })),
    stop: receiver.stop,
  };
}
