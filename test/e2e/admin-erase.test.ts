import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { GetObjectCommand, ListObjectVersionsCommand } from '@aws-sdk/client-s3';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { type TableName, tables } from '../../lib/tables.ts';
import { type Body, done, refused } from '../support/cli.ts';
import { aFinishedCall } from '../support/finished-call.ts';
import { aFile } from '../support/offline-admin.ts';
import { anOrg, expectBalancedBooks, stores, type TestOrg, untilCall } from '../support/orgs.ts';
import { aPhoneNumber, placeCall, postCall, request } from '../support/rest.ts';
import { db, filesBucket, named, s3, voice } from '../support/stack.ts';

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

  it('export all calls of a number into a folder, and erase them with a receipt; the number stays refused, not stored', async () => {
    const org = await anOrg();
    const phone_number = aPhoneNumber();
    const canary = aCanary();
    const calls = await Promise.all(
      ['first', 'second'].map((which) => aFinishedCall(org, `The ${which} ${canary}.`, { phone_number })),
    );
    const other = await aFinishedCall(org, 'Kept.', { phone_number: aPhoneNumber() });
    const of = ['--org', org.orgId, '--phone', phone_number];
    const canaries = [phone_number, canary, ...calls.map(({ call_id }) => `${call_id}.`)];

    const folder = join(dirname(aFile('erase', '')), `export-${org.orgId}`);
    expect(await done('person', 'export', ...of, '--folder', folder)).toMatchObject({ calls: 2, recordings: 0 });
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
    expect(await done('receipt', 'verify', '--file', genuine)).toMatchObject({ calls: 2 });
    const forged = aFile('forged.json', JSON.stringify({ ...receipt, calls: receipt.calls.slice(1) }));
    expect(await refused('receipt', 'verify', '--file', forged)).toMatchObject({ error: 'not_genuine' });
    expect((await done('person', 'erase', ...of)).calls).toHaveLength(2);

    const again = () => postCall(org, { phone_number, assistant_id: org.assistantId });
    expect(await again()).toMatchObject({ status: 403, body: { error: 'do_not_call' } });
    expect((await done('dnc', 'list', '--org', org.orgId)).numbers).toMatchObject([{ phone: null }]);
    await done('dnc', 'remove', ...of);
    expect((await again()).status).toBe(202);
  });
});
