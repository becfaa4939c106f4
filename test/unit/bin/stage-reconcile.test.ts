import { cancelAll, endedCall } from '../../../bin/admin/commands/stage/reconcile.ts';
import type { Cancelation } from '../../../shared/operations/calls/cancel-call.ts';

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

  it('copies an ended call without its follow-up, so that a repeated request does not ring', () => {
    const call = { call_id: 'call_1', status: 'completed', idempotency_key: 'order-7' };
    expect(endedCall(call)).toEqual(call);
    expect(endedCall({ ...call, unfinished: 'ended' })).toEqual(call);
    for (const unfinished of ['scheduled', 'waiting', 'reserved', 'claimed'])
      expect(endedCall({ ...call, unfinished })).toBeUndefined();
  });
});
