import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { DateTime } from 'luxon';
import type { FunctionName } from '../../../lib/functions.ts';
import { defaultClient } from '../../../local/simulators/zoho-accounts/model.ts';
import type { Call } from '../../../shared/domain/calls/call.ts';
import { IST } from '../../../shared/domain/time/ist-day.ts';
import { aFinishedCall, anEndedCall, queueSync } from '../calls/finished-call.ts';
import { changeConnection } from '../connections/change-connection.ts';
import {
  aCrmBConnection,
  anUnconnected,
  authorizeUrlOf,
  CRM_B_OWNER,
  type CrmBConnection,
  callBack,
  connectsOften,
  consentAs,
  consentTo,
  grants,
} from '../connections/crm-b.ts';
import { channelsOf } from '../connections/watch-channels.ts';
import { activityOf } from '../leads/leads.ts';
import { aQuietLead } from '../leads/quiet-lead.ts';
import { scheduleCreatedOf } from '../leads/scheduled-leads.ts';
import { anOrg, stores, untilCall } from '../organizations/orgs.ts';
import { aPhoneNumber, endOf } from '../rest/rest.ts';
import { crmB, environment, eventually, now, queueUrl, runSchedule, secondsAgo, sqs, voice } from '../stack/stack.ts';
import type { Scene } from './logged-scene.ts';

const GET_LEAD = 'GET /crm/v8/Leads/{id}';
const WATCH = 'GET /crm/v8/actions/watch';
const notEnded = { transcript_key: undefined, ended_at: undefined, started_at: undefined, cost: undefined };
const NO_SUCH_LEAD = '554000000777001';
const sundayRetry = { sunday_rnr_retry: 'true', disposition_crm_field: 'Call_Disposition', disposition_value: 'RNR' };
const schedules: FunctionName[] = [
  'check-watch-channels',
  'check-connections',
  'renew-watch-channels',
  'sunday-sweep',
  'recover-calls',
];

/** Runs the work with CRM-B and the help desk, with and without failures, with a canary in every text field. */
export async function loggedCrmB(): Promise<Scene> {
  await crmB.reset();
  await crmB.settings({ ...connectsOften, futureToleranceSeconds: 3600 });
  const refusedConsent = await consents();
  const connected = await aCrmBConnection({ settings: sundayRetry });
  const waiting = await aCrmBConnection({ settings: aClosedWindow() });
  const channel = (await channelsOf(connected))[0];

  const lead = await aLead();
  const [called, scheduled] = await Promise.all([connected, waiting].map(firstCallOf));
  if (!called || !scheduled) throw new Error('the lead has no calls');
  const [done] = await Promise.all([
    untilCall(called.call_id, (call) => call.crm_b_sync === 'done'),
    scheduleCreatedOf(scheduled),
  ]);
  const links = await recordingLinks(lead.id);
  await refusedNotifications(connected, channel?.token ?? '');
  const refused = await aCallThatCrmBRefuses(connected);
  await aLeadThatCannotBeFetched(connected);
  await changeConnection({ ...stores, grants, now }, waiting.connectionId, { auto_call: false });
  await endOf(waiting.org, scheduled.call_id);
  await crmB.fault({ route: WATCH, kind: 'too-many-requests', containing: channel?.channelId ?? '' });
  const expired = await aCallBeyondItsTime();
  await Promise.all(schedules.map((name) => runSchedule(name)));
  await crmB.revoke();
  const withoutConsent = await anEndedCall(connected, await aQuietLead());
  await untilCall(withoutConsent.call_id, (call) => call.crm_b_sync_error !== undefined);

  const { connectionId } = connected;
  return {
    secrets: [...lead.secrets, ...links, ...(await secretsOfTheProvider()), channel?.token ?? '', 'canary', 'Canary'],
    expected: [
      ['connect-crm-b', refusedConsent.crmB, 'access_denied'],
      ['connect-crm-b', refusedConsent.crmB, 'invalid_code'],
      ['connect-crm-b', connectionId, 'armed'],
      ['connect-help-desk', refusedConsent.helpDesk, 'connected'],
      ['receive-crm-b-notification', connectionId, '"status":401'],
      ['receive-crm-b-notification', connectionId, '"status":400'],
      ['process-lead', connectionId, done.lead?.event_id ?? '', called.call_id],
      ['process-lead', connectionId, 'could not be fetched', 'status 500'],
      ['schedule-release', scheduled.call_id, 'release_scheduled'],
      ['cancel-calls', waiting.connectionId, scheduled.call_id, 'auto_call_disabled'],
      ['sync-crm-b', called.call_id, 'synced'],
      ['sync-crm-b', connectionId, refused.call_id, 'call_log', 'INVALID_DATA'],
      ['sync-crm-b', connectionId, refused.call_id, 'note', 'too many requests'],
      ['sync-crm-b', connectionId, withoutConsent.call_id, 'connect again'],
      ['check-watch-channels', connectionId, 'too many requests'],
      ['recover-calls', expired, 'advanced', 'expire'],
      ['sunday-sweep', connectionId, 'leads are queued'],
    ],
    async again() {
      const forged = `${environment.base_url}/api/recordings/${called.call_id}?expires=9&key=x&signature=canary`;
      await Promise.all([
        ...schedules.map((name) => runSchedule(name)),
        ...(['crm-b', 'help-desk'] as const).map((type) => callBack(uninvitedCallback(type))),
        fetch(forged),
        notify(connectionId, { token: 'canary' }),
        queueSync(called.call_id),
        send('releases', scheduled.call_id),
        // A change, which triggers the stream.
        changeConnection({ ...stores, grants, now }, waiting.connectionId, {
          trigger_owner_user_id: now().toISOString(),
        }),
      ]);
    },
  };
}

const send = (queue: 'releases', call_id: string) =>
  sqs.send(new SendMessageCommand({ QueueUrl: queueUrl(queue), MessageBody: JSON.stringify({ call_id }) }));

/** Returns the address of an OAuth callback for which no consent was begun. */
const uninvitedCallback = (type: 'crm-b' | 'help-desk'): URL =>
  new URL(`/api/oauth/${type}/callback?state=canary-state&code=canary-code`, environment.base_url);

/** Begins consents to CRM-B that fail, and one to the help desk that succeeds. @returns the ids of their connections */
async function consents(): Promise<{ crmB: string; helpDesk: string }> {
  const { org, connection } = await anUnconnected('crm-b');
  const callback = async () => consentTo(await authorizeUrlOf(connection));
  await callBack(uninvitedCallback('crm-b'));
  for (const [name, value] of [
    ['code', 'canary-code'],
    ['error', 'Canary in the error'],
    ['accounts-server', 'https://canary.example'],
  ] as const) {
    const spoilt = await callback();
    spoilt.searchParams.set(name, value);
    await callBack(spoilt);
  }
  await crmB.settings({ consent: 'deny' });
  await callBack(await callback());
  const { connection: desk } = await anUnconnected('help-desk', {}, org);
  await consentAs(desk);
  return { crmB: connection.connection_id, helpDesk: desk.connection_id };
}

/** A call window that is closed now and for hours. */
const aClosedWindow = () =>
  DateTime.fromJSDate(now(), { zone: IST }).hour < 12
    ? { call_window_start: '20:00', call_window_end: '21:00' }
    : { call_window_start: '09:00', call_window_end: '10:00' };

/** Stores a waiting call after its dial_by, of an organization without slots. @returns its id */
async function aCallBeyondItsTime(): Promise<string> {
  const org = await anOrg({ limits: { max_live_calls: 0 } });
  const waiting = { status: 'queued', unfinished: 'waiting', dial_by: secondsAgo(60) } as const;
  const { call_id } = await aFinishedCall(org, undefined, { ...waiting, finished_at: undefined, ...notEnded });
  return call_id;
}

/**
 * Creates a lead about which CRM-B notifies every connection. The lead and its call contain values that logs must not
 * contain.
 */
async function aLead(): Promise<{ id: string; secrets: string[] }> {
  const phone = aPhoneNumber();
  const digits = phone.slice(3);
  const Mobile = `0${digits.slice(0, 5)} ${digits.slice(5)}`;
  await voice.script(phone, {
    behaviour: 'answer',
    transcript: [{ role: 'user', message: 'canary in the transcript' }],
    summary: 'canary in the summary',
  });
  const fields = { First_Name: 'Canarymira', Last_Name: 'of the canaries', Description: 'canary of the lead' };
  const id = await crmB.createLead({ ...fields, Mobile, Email: 'mira@canary.example' }, { owner: CRM_B_OWNER });
  return { id, secrets: [digits, Mobile, Mobile.slice(1)] };
}

async function firstCallOf(connected: CrmBConnection): Promise<Call | undefined> {
  const [entry] = await activityOf(connected, 1);
  return stores.calls.get(entry?.call_id ?? '');
}

/** Opens the note's link, and a forged one. @returns the query that opens the recording */
async function recordingLinks(leadId: string): Promise<string[]> {
  const content = String((await crmB.notes(leadId))[0]?.record.Note_Content);
  const link = new URL(/https?:\S+\/api\/recordings\/\S+/.exec(content)?.[0] ?? '');
  const opened = await fetch(link, { redirect: 'manual' });
  const location = new URL(opened.headers.get('location') ?? '');
  const signature = link.searchParams.get('signature') ?? '';
  link.searchParams.set('signature', `canary${signature}`);
  await fetch(link, { redirect: 'manual' });
  return [signature, location.searchParams.get('X-Amz-Signature') ?? ''];
}

const notify = (connectionId: string, body: object | string): Promise<Response> =>
  fetch(`${environment.base_url}/api/webhooks/crm-b/${connectionId}`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

async function refusedNotifications({ connectionId }: CrmBConnection, token: string): Promise<void> {
  await notify(connectionId, { token: 'canary-token', ids: ['1'] });
  await notify(connectionId, `{"token":"${token}", canary`);
  await notify(connectionId, { token, ids: 'canary in a bad body' });
}

/** Stores a call whose call log CRM-B refuses permanently, and whose note it refuses temporarily. */
async function aCallThatCrmBRefuses(connected: CrmBConnection): Promise<Call> {
  const leadId = await aQuietLead();
  const forLead = { containing: leadId };
  await crmB.fault({ route: 'POST /crm/v8/Calls', kind: 'item-error', error: 'INVALID_DATA', ...forLead });
  await crmB.fault({ route: 'POST /crm/v8/Leads/{id}/Notes', kind: 'too-many-requests', ...forLead });
  const { call_id } = await anEndedCall(connected, leadId);
  return untilCall(call_id, (call) => call.crm_b_sync_error !== undefined);
}

/**
 * Notifies the service of a lead for which CRM-B answers 500. Waits for the service's request, because the consent is
 * revoked later, and the request would then fail for that reason.
 */
async function aLeadThatCannotBeFetched({ connectionId }: CrmBConnection): Promise<void> {
  await crmB.fault({ route: GET_LEAD, kind: 'server-error', containing: NO_SUCH_LEAD, times: null });
  const token = (await channelsOf({ connectionId }))[0]?.token ?? '';
  await notify(connectionId, { module: 'Leads', operation: 'insert', ids: [NO_SUCH_LEAD], token, canary: 'canary' });
  await eventually(
    () => crmB.faults(),
    (faults) => faults.some(({ containing, affected }) => containing === NO_SUCH_LEAD && affected > 0),
  );
}

/** Collects the secrets of the OAuth exchange: tokens, codes, states, verifiers, client secret, channel tokens. */
async function secretsOfTheProvider(): Promise<string[]> {
  const [grants, requests, notifications] = await Promise.all([crmB.grants(), crmB.requests(), crmB.notifications()]);
  const given = requests.flatMap(({ query, body, token }) => {
    const { code, code_verifier, refresh_token, client_secret } = Object(body) as Record<string, unknown>;
    return [code, code_verifier, refresh_token, client_secret, query.state, token];
  });
  const notified = notifications.map(({ body }) => (Object(body) as { token?: unknown }).token);
  const tokens = grants.flatMap(({ token, access }) => [token, ...access.map((each) => each.token)]);
  const texts = [...given, ...notified, ...tokens, defaultClient.secret];
  const found = [...new Set(texts.filter((text) => typeof text === 'string' && text !== ''))] as string[];
  // Each kind must exist; otherwise its absence from the logs would prove nothing.
  for (const list of [given, notified, tokens]) if (!list.some(Boolean)) throw new Error('a kind of secret is missing');
  return found;
}
