import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { anOrg } from '../support/orgs.ts';
import { aPhoneNumber, endOf, placeCall } from '../support/rest.ts';
import { db, deadLettersOf, eventually, named, passTime, queueUrl, sqs } from '../support/stack.ts';

describe('publish-call-events', () => {
  it('a change that cannot be read is put aside, and the changes behind it go on', async () => {
    const before = await deadLettersOf('calls-stream');
    const item = { call_id: 'call_unreadable', org_id: 'org0', status: 'no such status' };
    await db.send(new PutCommand({ TableName: named.table('calls'), Item: item }));
    const org = await anOrg();
    const callId = await placeCall(org, { phone_number: aPhoneNumber() });
    expect((await endOf(org, callId, 40)).status).toBe('completed');
    expect(
      await eventually(
        () => deadLettersOf('calls-stream'),
        (count) => count > before,
        40,
      ),
    ).toBeGreaterThan(before);
  });
});

describe('a message that no worker can read', () => {
  it('goes to the dead letters after five deliveries', async () => {
    const before = await deadLettersOf('dial');
    await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl('dial'), MessageBody: '{"call":1}' }));
    for (let delivery = 0; delivery < 8; delivery += 1) {
      await new Promise((resolve) => setTimeout(resolve, 400));
      await passTime(245);
    }
    await eventually(
      () => deadLettersOf('dial'),
      (count) => count === before + 1,
    );
  });
});
