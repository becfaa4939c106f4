import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { anOrg } from '../../support/organizations/orgs.ts';
import { aPhoneNumber, endOf, placeCall } from '../../support/rest/rest.ts';
import { db, deadLettersOf, eventually, inTime, named, now, queueUrl, sqs } from '../../support/stack/stack.ts';

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
