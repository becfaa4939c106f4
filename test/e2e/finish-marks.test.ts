import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { anOrg, stores } from '../support/orgs.ts';
import { aPhoneNumber, endOf, placeCall } from '../support/rest.ts';
import { db, eventually, named, now, voice } from '../support/stack.ts';

describe('the two marks that end the work on a call', () => {
  it('set at the same moment by finish-call and notify-callback, leave nothing unfinished', async () => {
    const org = await anOrg();
    const phone_number = aPhoneNumber();
    await voice.script(phone_number, { behaviour: 'busy' });
    const callId = await placeCall(org, { phone_number });
    await endOf(org, callId);
    await eventually(
      () => stores.calls.get(callId),
      (call) => call?.finished_at !== undefined,
    );
    for (let round = 0; round < 60; round += 1) {
      await db.send(
        new UpdateCommand({
          TableName: named.table('calls'),
          Key: { call_id: callId },
          UpdateExpression: 'SET callback_status = :pending, unfinished = :ended REMOVE finished_at',
          ExpressionAttributeValues: { ':pending': 'pending', ':ended': 'ended' },
        }),
      );
      await Promise.all([
        stores.calls.finish(callId, now().toISOString()),
        stores.calls.recordCallbackStatus(callId, 'delivered'),
      ]);
      const call = await stores.calls.get(callId);
      expect({
        status: call?.callback_status,
        unfinished: call?.unfinished,
        finished: call?.finished_at !== undefined,
      }).toEqual({
        status: 'delivered',
        unfinished: undefined,
        finished: true,
      });
    }
  });
});
