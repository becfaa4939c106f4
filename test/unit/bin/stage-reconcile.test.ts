import { cancelAll, claimUnlessWaiting, endedCall } from '../../../bin/admin/commands/stage/reconcile.ts';
import { TransactionContention } from '../../../shared/domain/contention.ts';
import { leadEvent } from '../../../shared/messages/lead-event.ts';
import type { Cancelation } from '../../../shared/operations/calls/cancel-call.ts';
import { entryOfLostCall } from '../../../shared/operations/calls/steps/lost-call.ts';
import { aCall, aCalledLead } from '../support/call.ts';

describe('stage reconcile', () => {
  it('names only the calls that were dialed before it could cancel them', async () => {
    const results: Record<string, Cancelation> = {
      call_1: 'canceled',
      call_2: 'already_dialed',
      call_3: 'already_ended',
    };
    const kept = await cancelAll(Object.keys(results), async (call_id) => results[call_id] ?? 'call_not_found');
    expect(kept).toEqual(['call_2']);
  });

  it('names a call that workers keep changing, and cancels the calls after it', async () => {
    const tried: string[] = [];
    const kept = await cancelAll(['call_1', 'call_2'], async (call_id) => {
      tried.push(call_id);
      if (call_id === 'call_1') throw new TransactionContention('call call_1 changed in each of 5 tries');
      return 'canceled';
    });
    expect([kept, tried]).toEqual([['call_1'], ['call_1', 'call_2']]);
  });

  it('fails with the reason if a call cannot be canceled because of anything else', async () => {
    const expired = Object.assign(new Error('The security token is expired'), { name: 'ExpiredTokenException' });
    await expect(cancelAll(['call_1'], () => Promise.reject(expired))).rejects.toBe(expired);
  });

  it('copies each claim except those of calls that wait, whatever else it knows about the call', () => {
    const copyOf = claimUnlessWaiting(new Set(['call_1']));
    expect(copyOf({ claim: 'lead#1', call_id: 'call_1' })).toBeUndefined();
    for (const claim of [{ claim: 'lead#2', call_id: 'call_2' }, { claim: 'lead#3' }])
      expect(copyOf(claim)).toEqual(claim);
  });

  it('gives a lead whose call was lost an entry that can be retried as another event, from the time of the call', () => {
    const lead = aCalledLead({ crm: 'crm-a', event_id: 'evt_7', lead_id: 'lead-7', fields: { City: 'Pune' } });
    const call = { ...aCall({ created_at: '2026-03-02T06:00:00.000Z' }), lead };
    const { retryable = '', ...entry } = entryOfLostCall(call);
    const at = call.created_at;
    expect(entry).toMatchObject({ at, event_id: 'evt_7.dial', source: 'dial', outcome: 'expired', lead_id: 'lead-7' });
    expect(entry.reason).toBe('The call was lost when tables were restored. It had rung no phone.');
    expect(leadEvent.parse(JSON.parse(retryable))).toMatchObject({
      ...{ at, event_id: 'evt_7.dial', source: 'retry' },
      lead: { lead_id: 'lead-7', phones: [call.phone_number], fields: { City: 'Pune' } },
    });
    expect(entryOfLostCall(call)).toEqual({ ...entry, retryable });
  });

  it('copies an ended call without its follow-up, so that a repeated request does not ring', () => {
    const call = { call_id: 'call_1', status: 'completed', idempotency_key: 'order-7' };
    expect(endedCall(call)).toEqual(call);
    expect(endedCall({ ...call, unfinished: 'ended' })).toEqual(call);
    for (const unfinished of ['scheduled', 'waiting', 'reserved', 'claimed'])
      expect(endedCall({ ...call, unfinished })).toBeUndefined();
  });
});
