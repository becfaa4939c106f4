import { isTerminal } from '../../../shared/domain/calls/call-status.ts';
import { callbackReceiver } from '../../support/after-call/callback-receiver.ts';
import { aCrmBConnection, connectsOften } from '../../support/connections/crm-b.ts';
import { aHelpDeskConnection } from '../../support/connections/help-desk.ts';
import {
  aConnection,
  decided,
  deliver,
  leadBody,
  passTimeUntilIst,
  type TestConnection,
} from '../../support/leads/leads.ts';
import { aQuietLead } from '../../support/leads/quiet-lead.ts';
import { aConnectionWithWindow, aScheduledCall, scheduleCreatedOf } from '../../support/leads/scheduled-leads.ts';
import { anOrg, stores } from '../../support/organizations/orgs.ts';
import { aPhoneNumber, placeCall, readCall } from '../../support/rest/rest.ts';
import { crmB, eventually, inTime, now, passTime, voice, workersAreIdle } from '../../support/stack/stack.ts';

/** How long people talk in the calls that are counted. */
const TALK_SECONDS = 120;
const NIGHT = '22:00';
const UNTIL_MORNING_SECONDS = 11.5 * 3_600;
const QUARTER_SECONDS = 15 * 60;

/** After this many requests, V8 has compiled the code they use, as in a function that has run for a while. */
const WARM_UP_REQUESTS = 150;
/** Requests that are counted in sequence. A few would not measure the time of short functions well. */
const REQUESTS = 100;

/** A kind of work of the service, from its cause to its last step. */
export type Kind = { name: string; once: () => Promise<unknown> };

/** Requests of one kind, and the function that answers them. */
export type Requests = { name: string; by: string; all: () => Promise<unknown> };

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

/** Prepares the kinds of work. @returns them, and a function that ends their resources */
export async function kindsOfWork(): Promise<{ kinds: Kind[]; requests: Requests[]; stop: () => void }> {
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
  // Sent here, because the simulator of CRM-B would notify every connection of the local cloud.
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
  const knownOfB = await aQuietLead(aPhoneNumber());
  const waits = await anOrg({ credits: CREDITS, limits: { max_live_calls: 0 } });
  const functionCalls: Record<string, [by: string, once: () => Promise<unknown>]> = {
    'outbound requests': ['place-call', () => placeCall(waits, { phone_number: aPhoneNumber() })],
    'requests for a call': ['get-call', () => readCall(org, last)],
    'intakes of CRM-A': ['receive-crm-a-lead', () => deliver(crmA, known)],
    'intakes of CRM-B': ['receive-crm-b-notification', () => notify(knownOfB)],
  };
  const inARow = async (once: () => Promise<unknown>, times: number) => {
    for (let sent = 0; sent < times; sent += 1) await once();
    await workersAreIdle();
  };
  for (const [, once] of Object.values(functionCalls)) await inARow(once, WARM_UP_REQUESTS);

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
    requests: Object.entries(functionCalls).map(([name, [by, once]]) => ({
      name,
      by,
      all: () => inARow(once, REQUESTS),
    })),
    stop: receiver.stop,
  };
}
