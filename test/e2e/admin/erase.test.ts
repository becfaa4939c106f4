import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CreateMultipartUploadCommand, UploadPartCommand } from '@aws-sdk/client-s3';
import { defaultOrganization } from '../../../local/simulators/help-desk/model.ts';
import type { DialedScript } from '../../../local/simulators/voice/scripts.ts';
import { defaultClient } from '../../../local/simulators/zoho-accounts/model.ts';
import { contactFields, ticketFields } from '../../../shared/domain/after-call/tickets/help-desk-ticket.ts';
import type { Call } from '../../../shared/domain/calls/call.ts';
import { expiringClaimFor } from '../../../shared/domain/calls/dialing/claim.ts';
import { dayClaimKeys, dayClaimsFor } from '../../../shared/domain/calls/dialing/day-claims.ts';
import { sundayClaimKey } from '../../../shared/domain/calls/dialing/sunday-claim.ts';
import { crmBScopes, crmBScopesFor, helpDeskScopes } from '../../../shared/domain/connections/access/oauth-scopes.ts';
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
import { type Body, done, refused } from '../../support/admin/cli.ts';
import { aFile } from '../../support/admin/offline-admin.ts';
import { callAtPlatform, withoutReports } from '../../support/calls/call-at-platform.ts';
import { aFinishedCall, aNotification, aQuietLead, aRecording } from '../../support/calls/finished-call.ts';
import { aToken } from '../../support/connections/access-token.ts';
import { aGrantedConnection, connectsOften, storeGrant } from '../../support/connections/crm-b.ts';
import { aHelpDeskConnection, anAnalysis, departmentId } from '../../support/connections/help-desk.ts';
import { aConnection, activityOf, deliver, leadBody } from '../../support/leads/leads.ts';
import { anOrg, expectBalancedBooks, stores, type TestOrg, untilCall } from '../../support/organizations/orgs.ts';
import { aPhoneNumber, placeCall, postCall, request } from '../../support/rest/rest.ts';
import { canariesLeft } from '../../support/stack/canary-search.ts';
import {
  concurrently,
  crmB,
  environment,
  eventually,
  filesBucket,
  helpDesk,
  passTime,
  recoverCalls,
  s3,
  secondsAgo,
  voice,
  workersAreIdle,
} from '../../support/stack/stack.ts';

/** Records in the CRM and at the help desk. */
const CALLS = 2;
const CALLS_OF_A_PERSON = 50;
/** Each takes six requests to the simulators. */
const CALLS_WITH_RECORDS = 8;
const AT_ONCE = 4;
/** For the 50 calls of a person, in a local cloud. */
const MOST_MILLISECONDS = 120_000;
/**
 * The tables and the folders of the bucket that contain the person of the test. Recordings do so only in their keys.
 */
const PLACES = ['activity', 'callbacks', 'calls', 'claims', 'reported-transcripts', 'transcripts'];
/** The platform's answers to the first deletions of a call, as often as the person's calls have them. */
const DELETE_ANSWERS: [number, DeleteAnswers][] = [
  [38, []],
  [8, [503]],
  [1, ['deletion-failed']],
  [2, [503, 503]],
  [1, ['none']],
];
const ALLOWING = { erase_records: true };
const REMOVING = crmBScopesFor({ settings: ALLOWING });

/** @returns an access token that may write all records at both vendors */
async function aVendorsToken(): Promise<string> {
  const scopes = [crmBScopes, helpDeskScopes].join().split(',');
  return (await crmB.grant({ clientId: defaultClient.id, scopes })).accessToken;
}

/** Counts a lead's notes and call logs in the CRM, and a number's tickets at the help desk. */
async function recordsOf(leadId: string, phone: string): Promise<number[]> {
  const [notes, logs, tickets] = await Promise.all([
    crmB.notes(leadId),
    crmB.calls(leadId),
    helpDesk.listTickets({ phone }),
  ]);
  return [notes.length, logs.length, tickets.length];
}

/** Writes a call log and a note of a lead, and a ticket, as the workers do. @returns their marks */
async function writtenRecords(accessToken: string, leadId: string, phone: string): Promise<Partial<Call>> {
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

const DAY_SECONDS = 86_400;

type DeleteAnswers = NonNullable<DialedScript['deleteAnswers']>;

type Calling = { org: TestOrg; connectionId: string; leadId: string; accessToken: string; phone: string; said: string };

/** Has the voice platform refuse or lose deletions of the person's calls. @returns how many requests they take */
async function refuseDeletions(phone: string): Promise<number> {
  const all = DELETE_ANSWERS.flatMap(([calls, deleteAnswers]) => Array<DeleteAnswers>(calls).fill(deleteAnswers));
  const [first, ...rest] = all.map((deleteAnswers) => ({ behaviour: 'not-started' as const, deleteAnswers }));
  if (!first || all.length !== CALLS_OF_A_PERSON) throw new Error(`${all.length} calls`);
  await voice.script(phone, first, ...rest);
  return all.reduce((sum, { length }) => sum + 1 + length, 0);
}

/** A finished call of a lead, of today or one of the last days, with all data that the service stores and writes. */
async function aCallOfLead(number: number, { org, connectionId, leadId, accessToken, phone, said }: Calling) {
  const call_id = callIdFor(org.orgId, `call-${number}`);
  const created_at = secondsAgo(number * DAY_SECONDS);
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
      ...{ ...entry, event_id: `${event_id}.retry1`, outcome: 'expired', reason: said },
      retryable: JSON.stringify({ lead: { phones: [phone], said } }),
    }),
    stores.transact({ lead: stores.claims.taking(leadClaim), phone: stores.claims.taking(phoneClaim) }),
    // One call holds the claims on the contact and of the sweep.
    number === 0 &&
      stores.transact({
        contact: stores.claims.taking(expiringClaimFor(contact, { ...owner, ownerId: call_id }, at)),
        sunday: stores.claims.taking(expiringClaimFor(sundayClaimKey(connectionId, leadId), owner, at)),
      }),
  ]);
  return call;
}

/** Leaves a part of a recording, as a worker does that dies while it stores one. */
async function anUnfinishedUpload({ org_id, call_id }: Pick<Call, 'org_id' | 'call_id'>): Promise<void> {
  const file = { Bucket: await filesBucket(), Key: `recordings/${org_id}/${call_id}.mp3` };
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand(file));
  await s3.send(new UploadPartCommand({ ...file, UploadId, PartNumber: 1, Body: 'a flat by the lake' }));
}

/** A word that no other test writes into the same tables. */
const aCanary = () => `canary-${randomUUID()}`;

describe('admin erasures', () => {
  beforeAll(() => crmB.settings(connectsOften));

  it('leave no data of a call in tables, bucket and voice platform, and its key never rings again', async () => {
    const org = await anOrg();
    const phone_number = aPhoneNumber();
    const name = `Asha ${aCanary()}`;
    const placed = { phone_number, idempotency_key: 'order-7', metadata: { name } };
    await voice.script(phone_number, { behaviour: 'answer', queueSeconds: 0, ringSeconds: 0, talkSeconds: 5 });
    const callId = await placeCall(org, placed);
    const call = await untilCall(callId, ({ finished_at }) => finished_at !== undefined);
    await anUnfinishedUpload(call);
    const canaries = [phone_number, name, call.platform_id ?? '', `${callId}.`];
    const stored = await canariesLeft(org, canaries);
    expect(stored.length).toBeGreaterThan(canaries.length);
    expect(stored).toContainEqual(expect.stringMatching(/^upload of recordings/));

    const { receipt, ...erased } = await done('call', 'erase', '--call', callId);
    expect(erased).toMatchObject({ call_id: callId, found: { files: 4, platform_calls: 1, remote_records: [] } });
    expect(await canariesLeft(org, canaries)).toEqual([]);
    expect((await voice.calls(phone_number)).map(({ deleted }) => deleted)).toEqual([true]);
    const answer = aFile('call-receipt.json', JSON.stringify({ ...erased, receipt }));
    expect(await done('receipt', 'verify', '--file', answer)).toMatchObject({ kind: 'call', platform_left: [] });
    const again = await done('call', 'erase', '--call', callId);
    expect(again).toEqual({ ...erased, receipt: expect.objectContaining({ calls: receipt.calls }) });

    expect((await request('GET', `/v1/calls/${callId}`, { key: org.apiKey })).status).toBe(404);
    expect(await postCall(org, { assistant_id: org.assistantId, ...placed })).toMatchObject({
      status: 410,
      body: { error: 'call_erased' },
    });
    expect(await refused('call', 'show', '--call', callId)).toMatchObject({ error: 'call_not_found' });
    expect(await stores.calls.listOfOrg(org.orgId, { limit: 1 })).toEqual([]);
    expect(await voice.rings(phone_number)).toBe(1);
    await expectBalancedBooks(org.orgId);
  });

  describe('delete both copies at the voice platform after a double dial that', () => {
    const talk = { behaviour: 'answer', queueSeconds: 0, ringSeconds: 0, talkSeconds: 60 } as const;
    /** Ends only if the service hangs up. */
    const endless = { ...talk, talkSeconds: 100_000 };
    /** Waits for the service's request for a call to a number. */
    const requestFor = async (phone: string) => {
      const [sent] = await eventually(
        () => voice.requests(phone),
        ({ length }) => length > 0,
      );
      if (!sent) throw new Error('no request');
      return sent.body;
    };
    const ofCall = async ({ call_id }: Call): Promise<Body> => (await done('call', 'erase', '--call', call_id)).receipt;
    const ofPerson = ({ org_id, phone_number }: Call): Promise<Body> =>
      done('person', 'erase', '--org', org_id, '--phone', phone_number);

    /** Each places a call, and a second one at the platform. @returns its id */
    type DoubleDial = (org: TestOrg, phone: string) => Promise<string>;
    const doubleDials: [shownBy: string, DoubleDial, erase: (call: Call) => Promise<Body>][] = [
      [
        'a message of the second call shows',
        async (org, phone) => {
          await voice.script(phone, { ...talk, talkSeconds: 300 }, endless);
          const callId = await placeCall(org, { phone_number: phone });
          await untilCall(callId, ({ platform_id }) => platform_id !== undefined);
          await callAtPlatform(await requestFor(phone));
          return callId;
        },
        ofCall,
      ],
      [
        'the late answer to the dial shows',
        async (org, phone) => {
          await voice.script(phone, { ...endless, answerSeconds: 3 }, talk);
          const callId = await placeCall(org, { phone_number: phone });
          await callAtPlatform(await requestFor(phone));
          return callId;
        },
        ofPerson,
      ],
      [
        'the listing of a lookup shows',
        async (org, phone) => {
          await voice.script(phone, { behaviour: 'server-error' }, talk);
          const callId = await placeCall(org, { phone_number: phone });
          const body = withoutReports(await requestFor(phone));
          for (const _ of [1, 2]) await callAtPlatform(body);
          await eventually(
            () => voice.calls(phone),
            (calls) => calls.every(({ call }) => call.analysis !== undefined),
          );
          await workersAreIdle();
          await passTime(200);
          await recoverCalls();
          return callId;
        },
        ofPerson,
      ],
    ];

    it.each(doubleDials)('%s', async (_shownBy, dialTwice, erase) => {
      const org = await anOrg();
      const before = await expectBalancedBooks(org.orgId);
      const phone = aPhoneNumber();
      const callId = await dialTwice(org, phone);
      const call = await untilCall(callId, ({ finished_at }) => finished_at !== undefined);
      expect(call).toMatchObject({ status: 'completed', attempts: 1 });
      const copies = async () => (await voice.calls(phone)).map(({ live, deleted }) => ({ live, deleted }));
      await eventually(copies, (calls) => calls.every(({ live }) => !live));
      await workersAreIdle();
      expect(await copies()).toEqual(Array(2).fill({ live: false, deleted: false }));

      const receipt = await erase(call);
      expect(await copies()).toEqual(Array(2).fill({ live: false, deleted: true }));
      expect(receipt.calls).toMatchObject([{ found: { platform_calls: 2 }, platform: 'erased' }]);
      const after = await expectBalancedBooks(org.orgId);
      expect([after.held, before.balance - after.balance]).toEqual([0, call.cost]);
    });
  });

  it('export all 50 calls of a number into a folder and erase them with a receipt; the number is refused but not stored', async () => {
    const org = await anOrg();
    const { connectionId } = await aGrantedConnection(org, { settings: ALLOWING });
    await storeGrant('crm-b', connectionId, { scopes: REMOVING });
    await aHelpDeskConnection(org, ALLOWING);
    const [phone_number, canary, leadId] = [aPhoneNumber(), aCanary(), await aQuietLead()];
    const accessToken = await aVendorsToken();
    const calling = { org, connectionId, leadId, accessToken, phone: phone_number, said: canary };
    const deletions = await refuseDeletions(phone_number);
    const calls = await concurrently(AT_ONCE, Array(CALLS_OF_A_PERSON).fill(calling), (one, number) =>
      aCallOfLead(number, one),
    );
    const other = await aFinishedCall(org, 'Kept.', { phone_number: aPhoneNumber() });
    const of = ['--org', org.orgId, '--phone', phone_number];
    const keys = [`#${connectionId}#${leadId}`, phoneHash(org.orgId, phone_number)];
    const canaries = [phone_number, canary, ...calls.map(({ call_id }) => `${call_id}.`)];

    const folder = join(dirname(aFile('erase', '')), `export-${org.orgId}`);
    expect(await done('person', 'export', ...of, '--folder', folder)).toMatchObject({
      calls: CALLS_OF_A_PERSON,
      recordings: CALLS_OF_A_PERSON,
    });
    const exported = readFileSync(join(folder, 'person.json'), 'utf8');
    const stored = ['"retryable"', `sunday#${connectionId}#${leadId}`, ...keys, ...canaries];
    expect(stored.filter((word) => !exported.includes(word.replace(/\.$/, '')))).toEqual([]);
    expect(await refused('person', 'export', ...of, '--folder', folder)).toMatchObject({ error: 'invalid_value' });

    await done('dnc', 'add', ...of);
    const places = (await canariesLeft(org, [canary, ...keys])).map((place) => /^[\w-]+/.exec(place)?.[0]);
    expect([...new Set(places)].sort()).toEqual(PLACES);
    expect(await recordsOf(leadId, phone_number)).toEqual(Array(3).fill(CALLS_WITH_RECORDS));
    const begun = performance.now();
    const receipt = await done('person', 'erase', ...of);
    expect(performance.now() - begun).toBeLessThan(MOST_MILLISECONDS);
    expect(receipt.do_not_call).toBe('kept_as_hash');
    expect(receipt.calls.map(({ call_id }: Body) => call_id).sort()).toEqual(
      calls.map(({ call_id }) => call_id).sort(),
    );
    const copies = await voice.calls(phone_number);
    expect(copies.map(({ deleted }) => deleted)).toEqual(Array(CALLS_OF_A_PERSON).fill(true));
    expect(copies.reduce((sum, copy) => sum + copy.deletions, 0)).toBe(deletions);
    for (const { found, records, platform } of receipt.calls) {
      expect([found, platform]).toMatchObject([{ files: 4, callbacks: 1, activity: 2, platform_calls: 1 }, 'erased']);
      for (const { outcome } of records) expect(outcome).toBe('removed');
    }
    expect(await canariesLeft(org, [...canaries, ...keys])).toEqual([]);
    const entries = await stores.activity.list(connectionId);
    expect(entries.flatMap(({ lead_id = [] }) => lead_id)).toEqual([]);
    expect(await recordsOf(leadId, phone_number)).toEqual([0, 0, 0]);
    expect(await stores.calls.get(other.call_id)).toEqual(other);
    const genuine = aFile('receipt.json', JSON.stringify(receipt));
    expect(await done('receipt', 'verify', '--file', genuine)).toMatchObject({ calls: CALLS_OF_A_PERSON });
    const forged = aFile('forged.json', JSON.stringify({ ...receipt, calls: receipt.calls.slice(1) }));
    expect(await refused('receipt', 'verify', '--file', forged)).toMatchObject({ error: 'not_genuine' });
    expect((await done('person', 'erase', ...of)).calls).toHaveLength(CALLS_OF_A_PERSON);

    const again = () => postCall(org, { phone_number, assistant_id: org.assistantId });
    expect(await again()).toMatchObject({ status: 403, body: { error: 'do_not_call' } });
    expect((await done('dnc', 'list', '--org', org.orgId)).numbers).toMatchObject([{ phone: null }]);
    await done('dnc', 'remove', ...of);
    expect((await again()).status).toBe(202);
  });

  it('export and erase the stored event of a lead by its second number, so that it cannot be retried', async () => {
    const connected = await aConnection({}, await anOrg({ credits: 0 }));
    const [phone, name, { org, connection }] = [aPhoneNumber(), aCanary(), connected];
    await deliver(connected, leadBody({ FirstName: name, Mobile: phone }));
    const [entry] = await activityOf(connected, 1);
    expect(entry).toMatchObject({ outcome: 'insufficient_credits', retryable: expect.stringContaining(phone) });
    const of = ['--org', org.orgId, '--phone', phone];

    const folder = join(dirname(aFile('erase', '')), `export-${org.orgId}`);
    expect(await done('person', 'export', ...of, '--folder', folder)).toMatchObject({ calls: 0, activity: 1 });
    expect(JSON.parse(readFileSync(join(folder, 'person.json'), 'utf8'))).toMatchObject({
      activity: [{ retryable: { lead: { phones: [expect.anything(), phone], fields: { FirstName: name } } } }],
    });
    const receipt = await done('person', 'erase', ...of);
    expect(receipt).toMatchObject({ activity: 1, calls: [] });
    expect(await done('receipt', 'verify', '--file', aFile('lead.json', JSON.stringify(receipt)))).toMatchObject({
      remains: expect.arrayContaining([expect.stringContaining('calls to other numbers')]),
    });
    expect(await canariesLeft(org, [phone, name])).toEqual([]);
    const retry = ['--outcome', 'insufficient_credits', '--since', secondsAgo(DAY_SECONDS)];
    const retried = await done('connection', 'retry', '--connection', connection.connection_id, ...retry);
    expect(retried).toMatchObject({ queued: 0 });
  });

  it('remove the notes, call logs and tickets of a person if the consents allow it, and the rest after a new consent', async () => {
    const org = await anOrg();
    const { connectionId } = await aGrantedConnection(org, { settings: ALLOWING });
    await aHelpDeskConnection(org, ALLOWING);
    const [phone_number, leadId] = [aPhoneNumber(), await aQuietLead()];
    const accessToken = await aVendorsToken();
    for (let number = 0; number < CALLS; number += 1) {
      const records = await writtenRecords(accessToken, leadId, phone_number);
      await aFinishedCall(org, 'A flat.', { phone_number, ...records, ticket_organization: defaultOrganization.id });
    }
    const of = ['--org', org.orgId, '--phone', phone_number];
    const outcomesOf = ({ calls }: Body) =>
      calls.map(({ records }: Body) => records.map(({ record, outcome }: Body) => `${record} ${outcome}`));
    const inAll = (...outcomes: string[]) => Array(CALLS).fill(outcomes);
    const left = () => recordsOf(leadId, phone_number);
    expect(await left()).toEqual([CALLS, CALLS, CALLS]);

    const { error, message, receipt } = await refused('person', 'erase', ...of);
    expect([error, message]).toEqual(['records_not_erased', expect.stringContaining('ZohoCRM.modules.notes.DELETE')]);
    expect(outcomesOf(receipt)).toEqual(inAll('call_log left', 'note left', 'ticket removed'));
    expect(await left()).toEqual([CALLS, CALLS, 0]);

    await storeGrant('crm-b', connectionId, { scopes: REMOVING });
    const whole = await done('person', 'erase', ...of);
    expect(outcomesOf(whole)).toEqual(inAll('call_log removed', 'note removed', 'ticket removed'));
    expect(await left()).toEqual([0, 0, 0]);
    expect(await done('receipt', 'verify', '--file', aFile('records.json', JSON.stringify(whole)))).toMatchObject({
      calls: CALLS,
    });
  });
});
