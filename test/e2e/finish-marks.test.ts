import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { anOrg, stores } from '../support/orgs.ts';
import { aPhoneNumber, endOf, placeCall } from '../support/rest.ts';
import { db, eventually, named, now, voice } from '../support/stack.ts';

const marks = {
  finish: (callId: string) => stores.calls.finish(callId, now().toISOString()),
  tell: (callId: string) => stores.calls.recordCallbackStatus(callId, 'delivered'),
  sync: (callId: string) => stores.calls.recordCrmBSync(callId),
  ticket: (callId: string) => stores.calls.recordTicket(callId),
};
type Mark = keyof typeof marks;
const names = Object.keys(marks) as Mark[];
const ordersOf = (some: readonly Mark[]): Mark[][] =>
  some.length === 0
    ? [[]]
    : some.flatMap((first) => ordersOf(some.filter((mark) => mark !== first)).map((rest) => [first, ...rest]));
const orders = ordersOf(names).map((order) => [order.join(', '), order] as const);

describe('the four marks that end the work on a call', () => {
  let callId: string;

  /** A call without any of the marks. */
  const openAgain = () =>
    db.send(
      new UpdateCommand({
        TableName: named.table('calls'),
        Key: { call_id: callId },
        UpdateExpression:
          'SET callback_status = :pending, crm_b_sync = :pending, ticket_work = :pending, unfinished = :ended, crm_b_sync_after = :ended, crm_b_sync_error = :ended, ticket_after = :ended REMOVE finished_at',
        ExpressionAttributeValues: { ':pending': 'pending', ':ended': 'ended' },
      }),
    );
  const state = async () => {
    const call = await stores.calls.get(callId);
    return {
      status: call?.callback_status,
      sync: call?.crm_b_sync,
      ticket: call?.ticket_work,
      unfinished: call?.unfinished,
      finished: call?.finished_at !== undefined,
    };
  };
  const all = { status: 'delivered', sync: 'done', ticket: 'done', unfinished: undefined, finished: true };

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

  it.each(orders)('complete the call with the last of %s, and not before', async (_name, order) => {
    await openAgain();
    for (const [index, mark] of order.entries()) {
      expect((await state()).unfinished).toBe('ended');
      expect(await marks[mark](callId)).toBe(true);
      expect(await marks[mark](callId)).toBe(false);
      if (index < names.length - 1) expect((await state()).unfinished).toBe('ended');
    }
    expect(await state()).toEqual(all);
    for (const turn of ['crm_b_sync_after', 'ticket_after'])
      expect(await stores.calls.get(callId)).not.toHaveProperty(turn);
  });

  it('complete the call when four workers set them at once', async () => {
    for (let round = 0; round < 60; round += 1) {
      await openAgain();
      expect(await Promise.all(names.map((mark) => marks[mark](callId)))).toEqual(names.map(() => true));
      expect(await state()).toEqual(all);
    }
  });

  it('cannot complete the call while a step of finish-call is pending', async () => {
    const stepIs = (step: 'recording' | 'analysis', state: string) =>
      db.send(
        new UpdateCommand({
          TableName: named.table('calls'),
          Key: { call_id: callId },
          UpdateExpression: `SET ${step} = :step`,
          ExpressionAttributeValues: { ':step': { state } },
        }),
      );
    for (const step of ['recording', 'analysis'] as const) {
      await openAgain();
      await stepIs(step, 'pending');
      for (const mark of names) expect(await marks[mark](callId)).toBe(mark !== 'finish');
      expect((await state()).unfinished).toBe('ended');
      await stepIs(step, 'none');
      expect(await marks.finish(callId)).toBe(true);
      expect(await state()).toEqual(all);
    }
  });

  it('complete the call when some are set at once, with or without another', async () => {
    for (let round = 0; round < 30; round += 1) {
      await openAgain();
      const one = names[round % names.length] as Mark;
      const others = names.filter((mark) => mark !== one);
      const isFirst = round % 8 < names.length;
      if (isFirst) await marks[one](callId);
      await Promise.all(others.map((mark) => marks[mark](callId)));
      if (!isFirst) {
        expect((await state()).unfinished).toBe('ended');
        await marks[one](callId);
      }
      expect(await state()).toEqual(all);
    }
  });
});
