import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { GetObjectCommand, ListObjectVersionsCommand } from '@aws-sdk/client-s3';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { type TableName, tables } from '../../lib/tables.ts';
import { defaultOrganization } from '../../local/simulators/help-desk/model.ts';
import { defaultClient } from '../../local/simulators/zoho-accounts/model.ts';
import { contactFields, ticketFields } from '../../shared/domain/after-call/help-desk-ticket.ts';
import type { Call } from '../../shared/domain/calls/call.ts';
import { crmBScopes, crmBScopesFor, helpDeskScopes } from '../../shared/domain/connections/oauth-scopes.ts';
import { callIdFor } from '../../shared/domain/ids.ts';
import { crmBApi } from '../../shared/integrations/crm-b/api.ts';
import { crmBCallLogs } from '../../shared/integrations/crm-b/call-log.ts';
import { crmBNotes } from '../../shared/integrations/crm-b/note.ts';
import { helpDeskApi } from '../../shared/integrations/help-desk/api.ts';
import { helpDeskTickets } from '../../shared/integrations/help-desk/tickets.ts';
import { aToken } from '../support/access-token.ts';
import { type Body, done, refused } from '../support/cli.ts';
import { aGrantedConnection, storeGrant } from '../support/crm-b.ts';
import { aFinishedCall, aQuietLead, aRecording } from '../support/finished-call.ts';
import { aHelpDeskConnection, departmentId } from '../support/help-desk.ts';
import { aFile } from '../support/offline-admin.ts';
import { anOrg, expectBalancedBooks, stores, type TestOrg, untilCall } from '../support/orgs.ts';
import { aPhoneNumber, placeCall, postCall, request } from '../support/rest.ts';
import { concurrently, crmB, db, environment, filesBucket, helpDesk, named, s3, voice } from '../support/stack.ts';

/** Searches all items of all tables, and the bucket below the folders of an organization, for words. */
async function left(org: TestOrg, words: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  const note = (place: string, text: string) => {
    for (const word of words) if (text.includes(word)) found.add(`${place}: ${word}`);
  };
  const replacer = (_: string, value: unknown) => (value instanceof Set ? [...value] : value);
  for (const table of Object.keys(tables) as TableName[]) {
    let from: Record<string, unknown> | undefined;
    do {
      const page = await db.send(new ScanCommand({ TableName: named.table(table), ExclusiveStartKey: from }));
      for (const item of page.Items ?? []) note(table, JSON.stringify(item, replacer));
      from = page.LastEvaluatedKey;
    } while (from);
  }
  const Bucket = await filesBucket();
  for (const folder of ['transcripts', 'recordings']) {
    const { Versions = [] } = await s3.send(
      new ListObjectVersionsCommand({ Bucket, Prefix: `${folder}/${org.orgId}/` }),
    );
    for (const { Key = '' } of Versions) {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
      note(Key, `${Key} ${await Body?.transformToString('latin1')}`);
    }
  }
  return [...found];
}

/** In the CRM and at the help desk. */
const CALLS = 2;
const CALLS_OF_A_PERSON = 50;
const AT_ONCE = 4;

/** Writes a call log and a note of a lead, and a ticket, as the workers do. @returns their marks. */
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

/** A word that no other test writes into the same tables. */
const aCanary = () => `canary-${randomUUID()}`;

describe('admin erasures', () => {
  it('leaves nothing of a call in tables, bucket and voice platform, and its key never rings again', async () => {
    const org = await anOrg();
    const phone_number = aPhoneNumber();
    const name = `Asha ${aCanary()}`;
    const placed = { phone_number, idempotency_key: 'order-7', metadata: { name } };
    await voice.script(phone_number, { behaviour: 'answer', queueSeconds: 0, ringSeconds: 0, talkSeconds: 5 });
    const callId = await placeCall(org, placed);
    const call = await untilCall(callId, ({ finished_at }) => finished_at !== undefined);
    const canaries = [phone_number, name, call.platform_id ?? '', `${callId}.`];
    expect((await left(org, canaries)).length).toBeGreaterThan(canaries.length);

    const erased = await done('call', 'erase', '--call', callId);
    expect(erased).toMatchObject({ call_id: callId, found: { files: 3, platform_calls: 1, remote_records: [] } });
    expect(await left(org, canaries)).toEqual([]);
    expect((await voice.calls(phone_number)).map(({ deleted }) => deleted)).toEqual([true]);
    expect(await done('call', 'erase', '--call', callId)).toEqual(erased);

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

  it('export all 50 calls of a number into a folder, and erase them with a receipt; the number stays refused, not stored', async () => {
    const org = await anOrg();
    const phone_number = aPhoneNumber();
    const canary = aCanary();
    const calls = await concurrently(AT_ONCE, Array(CALLS_OF_A_PERSON).fill(canary), async (said, number) => {
      const call_id = callIdFor(org.orgId, `call-${number}`);
      const recording = await aRecording({ org_id: org.orgId, call_id });
      return aFinishedCall(org, `${said} ${number}.`, { call_id, phone_number, recording });
    });
    const other = await aFinishedCall(org, 'Kept.', { phone_number: aPhoneNumber() });
    const of = ['--org', org.orgId, '--phone', phone_number];
    const canaries = [phone_number, canary, ...calls.map(({ call_id }) => `${call_id}.`)];

    const folder = join(dirname(aFile('erase', '')), `export-${org.orgId}`);
    expect(await done('person', 'export', ...of, '--folder', folder)).toMatchObject({
      calls: CALLS_OF_A_PERSON,
      recordings: CALLS_OF_A_PERSON,
    });
    const exported = readFileSync(join(folder, 'person.json'), 'utf8');
    expect(canaries.filter((word) => !exported.includes(word.replace(/\.$/, '')))).toEqual([]);
    expect(await refused('person', 'export', ...of, '--folder', folder)).toMatchObject({ error: 'invalid_value' });

    await done('dnc', 'add', ...of);
    const receipt = await done('person', 'erase', ...of);
    expect(receipt.do_not_call).toBe('kept_as_hash');
    expect(receipt.calls.map(({ call_id }: Body) => call_id).sort()).toEqual(
      calls.map(({ call_id }) => call_id).sort(),
    );
    expect(await left(org, canaries)).toEqual([]);
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

  it('removes the notes, call logs and tickets of a person as far as the consents allow, and the rest after a new consent', async () => {
    const org = await anOrg();
    const allowing = { erase_records: true };
    const { connectionId } = await aGrantedConnection(org, { settings: allowing });
    await aHelpDeskConnection(org, allowing);
    const [phone_number, leadId] = [aPhoneNumber(), await aQuietLead()];
    const scopes = [crmBScopes, helpDeskScopes].join().split(',');
    const { accessToken } = await crmB.grant({ clientId: defaultClient.id, scopes });
    for (let number = 0; number < CALLS; number += 1) {
      const records = await writtenRecords(accessToken, leadId, phone_number);
      await aFinishedCall(org, 'A flat.', { phone_number, ...records, ticket_organization: defaultOrganization.id });
    }
    const of = ['--org', org.orgId, '--phone', phone_number];
    const outcomesOf = ({ calls }: Body) =>
      calls.map(({ records }: Body) => records.map(({ record, outcome }: Body) => `${record} ${outcome}`));
    const inAll = (...outcomes: string[]) => Array(CALLS).fill(outcomes);
    const left = async () => [
      (await crmB.notes(leadId)).length,
      (await crmB.calls(leadId)).length,
      (await helpDesk.listTickets({ phone: phone_number })).length,
    ];
    expect(await left()).toEqual([CALLS, CALLS, CALLS]);

    const { error, message, receipt } = await refused('person', 'erase', ...of);
    expect([error, message]).toEqual(['records_not_erased', expect.stringContaining('ZohoCRM.modules.notes.DELETE')]);
    expect(outcomesOf(receipt)).toEqual(inAll('call_log left', 'note left', 'ticket removed'));
    expect(await left()).toEqual([CALLS, CALLS, 0]);

    await storeGrant('crm-b', connectionId, { scopes: crmBScopesFor({ settings: allowing }) });
    const whole = await done('person', 'erase', ...of);
    expect(outcomesOf(whole)).toEqual(inAll('call_log removed', 'note removed', 'ticket removed'));
    expect(await left()).toEqual([0, 0, 0]);
    expect(await done('receipt', 'verify', '--file', aFile('records.json', JSON.stringify(whole)))).toMatchObject({
      calls: CALLS,
    });
  });
});
