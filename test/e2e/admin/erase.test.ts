import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CreateMultipartUploadCommand, UploadPartCommand } from '@aws-sdk/client-s3';
import { defaultOrganization } from '../../../local/simulators/help-desk/model.ts';
import type { Call } from '../../../shared/domain/calls/call.ts';
import { crmBScopesFor } from '../../../shared/domain/connections/access/oauth-scopes.ts';
import { phoneHash } from '../../../shared/domain/connections/phone-hash.ts';
import { type Body, done, refused } from '../../support/admin/cli.ts';
import { aFile } from '../../support/admin/offline-admin.ts';
import {
  aCallOfLead,
  aVendorsToken,
  CALLS_OF_A_PERSON,
  CALLS_WITH_RECORDS,
  DAY_SECONDS,
  recordsOf,
  refuseDeletions,
  writtenRecords,
} from '../../support/after-call/calls-of-person.ts';
import { callAtPlatform, withoutReports } from '../../support/calls/call-at-platform.ts';
import { aFinishedCall } from '../../support/calls/finished-call.ts';
import { aGrantedConnection, connectsOften, storeGrant } from '../../support/connections/crm-b.ts';
import { aHelpDeskConnection } from '../../support/connections/help-desk.ts';
import { aConnection, activityOf, deliver, leadBody } from '../../support/leads/leads.ts';
import { aQuietLead } from '../../support/leads/quiet-lead.ts';
import { anOrg, expectBalancedBooks, stores, type TestOrg, untilCall } from '../../support/organizations/orgs.ts';
import { aPhoneNumber, placeCall, postCall, request } from '../../support/rest/rest.ts';
import { canariesLeft } from '../../support/stack/canary-search.ts';
import {
  concurrently,
  crmB,
  eventually,
  filesBucket,
  passTime,
  recoverCalls,
  s3,
  secondsAgo,
  voice,
  workersAreIdle,
} from '../../support/stack/stack.ts';

/** Records in the CRM and at the help desk. */
const CALLS = 2;
const AT_ONCE = 4;
/** The longest erasure of the calls of a person, in a local cloud. */
const MAX_MILLISECONDS = 60_000;
/**
 * The tables and the folders of the bucket that contain the person of the test. A recording contains the person only in
 * its key.
 */
const PLACES = ['activity', 'callbacks', 'calls', 'claims', 'reported-transcripts', 'transcripts'];
const ALLOWING = { erase_records: true };
const REMOVING = crmBScopesFor({ settings: ALLOWING });

/** Leaves a part of a recording, like a worker that dies while it stores one. */
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

    /** Places a call, and a second one for it at the platform. @returns the id of the service's call */
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

  it('export all calls of a number into a folder and erase them with a receipt; the number is refused but not stored', async () => {
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
    expect(performance.now() - begun).toBeLessThan(MAX_MILLISECONDS);
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
