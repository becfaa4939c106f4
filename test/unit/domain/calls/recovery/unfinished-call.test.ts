import { tables } from '../../../../../lib/tables.ts';
import { callSchema } from '../../../../../shared/domain/calls/call.ts';
import { recoverySteps } from '../../../../../shared/domain/calls/recovery/recovery.ts';
import { unfinishedCallAttributes } from '../../../../../shared/domain/calls/recovery/unfinished-call.ts';
import { callItem } from '../../../../../shared/stores/calls/call-item.ts';
import { aCall, aCalledLead, aClaimedCall, aReservedCall } from '../../../support/call.ts';

const lead = aCalledLead();
const ended = { status: 'completed', unfinished: 'ended' } as const;
const indexed = ['call_id', 'unfinished', 'dial_by', ...unfinishedCallAttributes];
const asIndexed = (call: object) => Object.fromEntries(Object.entries(call).filter(([name]) => indexed.includes(name)));

describe('the index of unfinished calls', () => {
  it('contains only top-level attributes of a stored call', () => {
    const stored = Object.keys(callSchema.shape);
    expect(unfinishedCallAttributes.filter((name) => !stored.includes(name))).toEqual(['connection_id']);
    expect(callItem(aCall({ lead }))).toMatchObject({ connection_id: 'conn_1' });
    expect(callItem(aCall())).not.toHaveProperty('connection_id');
  });

  it('is created with exactly these attributes', () => {
    const index = tables.calls.indexes.find(({ name }) => name === 'unfinished');
    expect(index).toMatchObject({ partitionKey: 'unfinished', sortKey: 'dial_by' });
    expect(index && 'attributes' in index && index.attributes).toBe(unfinishedCallAttributes);
  });

  it('contains enough for recovery to find the same steps as from the call itself', () => {
    const later = new Date('2026-03-02T07:00:00.000Z');
    const start = '2026-03-02T06:00:00.000Z';
    for (const call of [
      aCall(),
      aReservedCall({ dial_by: '2026-03-02T08:00:00.000Z' }),
      aCall({ status: 'scheduled', unfinished: 'scheduled', scheduled_for: start, lead }),
      aClaimedCall(),
      aClaimedCall({ platform_id: 'p', hung_up_at: start }),
      aCall(ended),
      aCall({ ...ended, finished_at: start, callback_status: 'pending' }),
      aCall({ ...ended, finished_at: start, crm_b_sync: 'pending', ticket_work: 'pending' }),
    ]) {
      expect(recoverySteps(call, later)).not.toEqual([]);
      expect(recoverySteps(asIndexed(callItem(call)) as never, later)).toEqual(recoverySteps(call, later));
    }
  });
});
