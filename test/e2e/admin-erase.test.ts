import { GetObjectCommand, ListObjectVersionsCommand } from '@aws-sdk/client-s3';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { type TableName, tables } from '../../lib/tables.ts';
import { done, refused } from '../support/cli.ts';
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

describe('admin call erase', () => {
  it('leaves nothing of a call in tables, bucket and voice platform, and its key never rings again', async () => {
    const org = await anOrg();
    const phone_number = aPhoneNumber();
    const placed = { phone_number, idempotency_key: 'order-7', metadata: { name: 'Asha Canary' } };
    await voice.script(phone_number, { behaviour: 'answer', queueSeconds: 0, ringSeconds: 0, talkSeconds: 5 });
    const callId = await placeCall(org, placed);
    const call = await untilCall(callId, ({ finished_at }) => finished_at !== undefined);
    const canaries = [phone_number, 'Asha Canary', call.platform_id ?? '', `${callId}.`];
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
});
