import { randomUUID } from 'node:crypto';
import { defaultOrganization } from '../../../local/simulators/help-desk/model.ts';
import type { DialedScript } from '../../../local/simulators/voice/scripts.ts';
import { defaultClient } from '../../../local/simulators/zoho-accounts/model.ts';
import { contactFields, ticketFields } from '../../../shared/domain/after-call/tickets/help-desk-ticket.ts';
import type { Call } from '../../../shared/domain/calls/call.ts';
import { expiringClaimFor } from '../../../shared/domain/calls/dialing/claim.ts';
import { dayClaimKeys, dayClaimsFor } from '../../../shared/domain/calls/dialing/day-claims.ts';
import { sundayClaimKey } from '../../../shared/domain/calls/dialing/sunday-claim.ts';
import { crmBScopes, helpDeskScopes } from '../../../shared/domain/connections/access/oauth-scopes.ts';
import { activityExpiry } from '../../../shared/domain/connections/activity.ts';
import { phoneHash } from '../../../shared/domain/connections/phone-hash.ts';
import { callIdFor, connectionIdFor, newEventId } from '../../../shared/domain/ids.ts';
import { istDay } from '../../../shared/domain/time/ist-day.ts';
import { crmBApi } from '../../../shared/integrations/crm-b/api.ts';
import { crmBCallLogs } from '../../../shared/integrations/crm-b/call-log.ts';
import { crmBNotes } from '../../../shared/integrations/crm-b/note.ts';
import { helpDeskApi } from '../../../shared/integrations/help-desk/api.ts';
import { helpDeskTickets } from '../../../shared/integrations/help-desk/tickets.ts';
import { contactClaimKey } from '../../../shared/operations/after-call/tickets/ticket-claims.ts';
import { callAtPlatform } from '../calls/call-at-platform.ts';
import { aFinishedCall, aNotification, aRecording } from '../calls/finished-call.ts';
import { aToken } from '../connections/access-token.ts';
import { anAnalysis, departmentId } from '../connections/help-desk.ts';
import { stores, type TestOrg } from '../organizations/orgs.ts';
import { crmB, environment, helpDesk, secondsAgo, voice } from '../stack/stack.ts';

/** More than two batches of the erasure, the last one incomplete. */
export const CALLS_OF_A_PERSON = 14;
/** Spreads the calls over almost two months. */
const DAYS_APART = 4;
/** How many of the calls have records at the vendors. The records of one call take six requests to the simulators. */
export const CALLS_WITH_RECORDS = 8;
/** Numbers of calls, each with the platform's answers to the first requests to delete one of these calls. */
const DELETE_ANSWERS: [number, DeleteAnswers][] = [
  [6, []],
  [4, [503]],
  [1, ['deletion-failed']],
  [2, [503, 503]],
  [1, ['none']],
];

/** @returns an access token that may write all records at both vendors */
export async function aVendorsToken(): Promise<string> {
  const scopes = [crmBScopes, helpDeskScopes].join().split(',');
  return (await crmB.grant({ clientId: defaultClient.id, scopes })).accessToken;
}

/** Counts a lead's notes and call logs in the CRM, and a number's tickets at the help desk. */
export async function recordsOf(leadId: string, phone: string): Promise<number[]> {
  const [notes, logs, tickets] = await Promise.all([
    crmB.notes(leadId),
    crmB.calls(leadId),
    helpDesk.listTickets({ phone }),
  ]);
  return [notes.length, logs.length, tickets.length];
}

/** Writes a call log and a note of a lead, and a ticket, as the workers do. @returns their marks */
export async function writtenRecords(accessToken: string, leadId: string, phone: string): Promise<Partial<Call>> {
  const token = async () => aToken(accessToken);
  const [crm, desk] = [crmBApi({ timeoutMs: 10_000 }), helpDeskApi({ timeoutMs: 10_000 })];
  const access = { apiDomain: environment.simulators.crm_b, token };
  const log = { subject: 'Call by Asha', start_time: '2026-01-05T10:30:00+05:30', duration: '00:01' };
  const fields = ticketFields({ departmentId, subject: 'complaint', description: 'A flat.', phone });
  const written = await Promise.all([
    crmBCallLogs(crm).create(access, leadId, log),
    crmBNotes(crm).create(access, leadId, { title: 'Call by Asha', content: 'A flat.' }),
    helpDeskTickets(desk).create(
      { host: environment.simulators.help_desk, orgId: defaultOrganization.id, token },
      fields,
      { contact: contactFields('Asha Iyer', phone) },
    ),
  ]);
  const [call_log, note, ticket] = written.map((one) => {
    if (one.kind !== 'written') throw new Error(JSON.stringify(one));
    return { state: 'written' as const, at: '2026-01-05T05:00:00.000Z', id: one.id };
  });
  return { call_log, note, ticket };
}

export const DAY_SECONDS = 86_400;

type DeleteAnswers = NonNullable<DialedScript['deleteAnswers']>;

type Calling = {
  org: TestOrg;
  connectionId: string;
  leadId: string;
  accessToken: string;
  phone: string;
  said: string;
};

/** Has the voice platform refuse or lose deletions of the person's calls. @returns how many requests they take */
export async function refuseDeletions(phone: string): Promise<number> {
  const all = DELETE_ANSWERS.flatMap(([calls, deleteAnswers]) => Array<DeleteAnswers>(calls).fill(deleteAnswers));
  const [first, ...rest] = all.map((deleteAnswers) => ({ behaviour: 'not-started' as const, deleteAnswers }));
  if (!first || all.length !== CALLS_OF_A_PERSON) throw new Error(`${all.length} calls`);
  await voice.script(phone, first, ...rest);
  return all.reduce((sum, { length }) => sum + 1 + length, 0);
}

/**
 * Creates a finished call of a lead, placed today or `number` times four days ago, with all data that the service
 * stores and writes.
 */
export async function aCallOfLead(number: number, { org, connectionId, leadId, accessToken, phone, said }: Calling) {
  const call_id = callIdFor(org.orgId, `call-${number}`);
  const created_at = secondsAgo(number * DAYS_APART * DAY_SECONDS);
  const [org_id, at] = [org.orgId, new Date(created_at)];
  const day = istDay(at);
  const event_id = newEventId(at);
  const event = { connection_id: connectionId, lead_id: leadId, event: 'new_lead', test: false } as const;
  const lead = { crm: 'crm-b', ...event, event_id, fields: { Last_Name: said } } as const;
  const [platform_id, recording, records] = await Promise.all([
    callAtPlatform({ assistant: { firstMessage: said }, phoneNumberId: randomUUID(), customer: { number: phone } }),
    aRecording({ org_id, call_id }),
    number < CALLS_WITH_RECORDS ? writtenRecords(accessToken, leadId, phone) : {},
  ]);
  const call = await aFinishedCall(org, `${said} ${number}.`, {
    ...{ call_id, phone_number: phone, created_at, lead, claims_day: day, recording, platform_id },
    request_metadata: { said },
    ...{ analysis: anAnalysis({ summary: said }), ...records, ticket_organization: defaultOrganization.id },
  });
  const entry = {
    ...{ ...event, org_id, at: created_at, source: 'webhook' as const, owner_id: said, call_id, payload_keys: [] },
    ...{ phone_masked: '+91******0000', phone_hash: phoneHash(org_id, phone), expires_at: activityExpiry(created_at) },
  };
  const owner = { ownerId: event_id, callId: call_id, now: at };
  const { lead: leadClaim, phone: phoneClaim } = dayClaimsFor(dayClaimKeys(call, lead, day), day, owner);
  const contact = contactClaimKey(connectionIdFor(org_id, 'help-desk'), phone);
  await Promise.all([
    stores.files.putReportedTranscript({ callId: call_id, report: '1' }, `${said} ${number}.`),
    stores.files.putReportedLines({ callId: call_id, report: '1' }, [{ who: 'person', text: said, from: 0, to: 1 }]),
    stores.callbacks.create({ ...aNotification(call), body: JSON.stringify({ phone_number: phone, said }) }),
    stores.activity.record({ ...entry, event_id, outcome: 'call queued', reason: `Queued for ${said}.` }),
    stores.activity.record({
      ...{ ...entry, event_id: `${event_id}.retry.1`, outcome: 'expired', reason: said },
      retryable: JSON.stringify({ lead: { phones: [phone], said } }),
    }),
    stores.transact({ lead: stores.claims.taking(leadClaim), phone: stores.claims.taking(phoneClaim) }),
    // Only one call holds the claim on the contact and the claim of the sweep.
    number === 0 &&
      stores.transact({
        contact: stores.claims.taking(expiringClaimFor(contact, { ...owner, ownerId: call_id }, at)),
        sunday: stores.claims.taking(expiringClaimFor(sundayClaimKey(connectionId, leadId), owner, at)),
      }),
  ]);
  return call;
}
