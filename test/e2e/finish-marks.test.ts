import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { anOrg, stores } from '../support/orgs.ts';
import { aPhoneNumber, endOf, placeCall } from '../support/rest.ts';
import { db, eventually, named, now, voice } from '../support/stack.ts';

const marks = {
  finish: (callId: string) => stores.calls.finish(callId, now().toISOString()),
  tell: (callId: string) => stores.calls.recordCallbackStatus(callId, 'delivered'),
  sync: (callId: string) => stores.calls.recordCrmBSync(callId),
};
type Mark = keyof typeof marks;
const names = Object.keys(marks) as Mark[];
const orders = names.flatMap((first) =>
  names
    .filter((second) => second !== first)
    .map((second) => [first, second, names.find((third) => third !== first && third !== second) as Mark] as const),
);

describe('the three marks that end the work on a call', () => {
  let callId: string;

  /** None of the marks stands. */
  const openAgain = () =>
    db.send(
      new UpdateCommand({
        TableName: named.table('calls'),
        Key: { call_id: callId },
        UpdateExpression:
          'SET callback_status = :pending, crm_b_sync = :pending, unfinished = :ended, crm_b_sync_after = :ended, crm_b_sync_error = :ended REMOVE finished_at',
        ExpressionAttributeValues: { ':pending': 'pending', ':ended': 'ended' },
      }),
    );
  const state = async () => {
    const call = await stores.calls.get(callId);
    return {
      status: call?.callback_status,
      sync: call?.crm_b_sync,
      unfinished: call?.unfinished,
      finished: call?.finished_at !== undefined,
    };
  };
  const all = { status: 'delivered', sync: 'done', unfinished: undefined, finished: true };

  beforeAll(async () => {
    const org = await anOrg();
    const phone_number = aPhoneNumber();
    await voice.script(phone_number, { behaviour: 'busy' });
    callId = await placeCall(org, { phone_number });
    await endOf(org, callId);
    await eventually(
      () => stores.calls.get(callId),
      (call) => call?.finished_at !== undefined,
    );
  });

  it.each(orders)('leave nothing unfinished with the last of %s, %s, %s, and not before', async (...order) => {
    await openAgain();
    for (const [index, mark] of order.entries()) {
      expect((await state()).unfinished).toBe('ended');
      expect(await marks[mark](callId)).toBe(true);
      expect(await marks[mark](callId)).toBe(false);
      if (index < 2) expect((await state()).unfinished).toBe('ended');
    }
    expect(await state()).toEqual(all);
    expect(await stores.calls.get(callId)).not.toHaveProperty('crm_b_sync_after');
  });

  it('set at the same moment by three workers, leave nothing unfinished', async () => {
    for (let round = 0; round < 60; round += 1) {
      await openAgain();
      expect(await Promise.all(names.map((mark) => marks[mark](callId)))).toEqual([true, true, true]);
      expect(await state()).toEqual(all);
    }
  });

  it('set two at the same moment, in the presence or absence of the third', async () => {
    for (let round = 0; round < 30; round += 1) {
      await openAgain();
      const third = names[round % 3] as Mark;
      const others = names.filter((mark) => mark !== third);
      const isFirst = round % 2 === 0;
      if (isFirst) await marks[third](callId);
      await Promise.all(others.map((mark) => marks[mark](callId)));
      if (!isFirst) {
        expect((await state()).unfinished).toBe('ended');
        await marks[third](callId);
      }
      expect(await state()).toEqual(all);
    }
  });
});
