import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { done } from '../../support/admin/cli.ts';
import { anOrg, stores, untilCall } from '../../support/organizations/orgs.ts';
import { aPhoneNumber, endOf, placeCall } from '../../support/rest/rest.ts';
import { db, deadLettersOf, eventually, inTime, named, now, queueUrl, sqs, voice } from '../../support/stack/stack.ts';

describe('publish-call-events', () => {
  it('moves an unreadable change to the dead letters and processes the following ones', async () => {
    const before = await deadLettersOf('calls-stream');
    const item = { call_id: 'call_unreadable', org_id: 'org0', status: 'no such status' };
    await db.send(new PutCommand({ TableName: named.table('calls'), Item: item }));
    const org = await anOrg();
    const callId = await placeCall(org, { phone_number: aPhoneNumber() });
    expect((await endOf(org, callId, 90)).status).toBe('completed');
    expect(
      await eventually(
        () => deadLettersOf('calls-stream'),
        (count) => count > before,
        90,
      ),
    ).toBeGreaterThan(before);
  });
});

describe('a call that the table has removed', () => {
  it.each(['order-7', undefined])(
    'leaves a tombstone, and call erase deletes its copy elsewhere: key %s',
    async (key) => {
      const org = await anOrg();
      const phone_number = aPhoneNumber();
      const callId = await placeCall(org, { phone_number, ...(key && { idempotency_key: key }) });
      const { platform_id } = await untilCall(callId, ({ finished_at }) => finished_at !== undefined);
      const [TableName, Key] = [named.table('calls'), { call_id: callId }];
      await db.send(new DeleteCommand({ TableName, Key }));
      const read = async () => (await db.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item;
      expect(await eventually(read, (item) => item !== undefined)).toMatchObject({
        ...{ erased_of: org.orgId, removed_at: expect.any(String), platform_ids: [platform_id] },
      });
      const left = await stores.files.putReportedTranscript({ callId, report: '1' }, 'A flat.');

      const { receipt, ...erased } = await done('call', 'erase', '--call', callId);
      expect([erased.found.platform_calls, receipt.calls[0].platform]).toEqual([1, 'erased']);
      expect((await voice.calls(phone_number)).map(({ deleted }) => deleted)).toEqual([true]);
      await expect(stores.files.getTranscript(left)).rejects.toThrow();
      expect(await read()).not.toHaveProperty('platform_ids');
      const { receipt: again, ...repeated } = await done('call', 'erase', '--call', callId);
      expect([repeated, again.calls]).toEqual([erased, receipt.calls]);
    },
  );
});

describe('a message that no worker can read', () => {
  it('moves to the dead-letter queue after five deliveries', async () => {
    const before = await deadLettersOf('dial');
    await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl('dial'), MessageBody: '{"call":1}' }));
    const sent = now().getTime();
    await inTime(
      () => deadLettersOf('dial'),
      (count) => count === before + 1,
      { seconds: 245, most: 40 },
    );
    // Each delivery hides it for four minutes.
    expect(now().getTime() - sent).toBeGreaterThanOrEqual(5 * 240_000);
  });
});
