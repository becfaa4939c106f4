import { creditCsv } from '../../../../dashboard/words/organization/credit.ts';
import { holdEntry, topUpEntry, viewListedEntry } from '../../../../shared/domain/organizations/ledger-entry.ts';
import { listCreditEntries } from '../../../../shared/operations/calls/list-credit-entries.ts';
import { aCall } from '../../support/call.ts';
import { ORG } from '../../support/worlds/items.ts';
import { aWorld, START } from '../../support/worlds/world.ts';

describe('the entries of the ledger', () => {
  it('name the call and the API key, with number and length while these are stored, without addresses', async () => {
    const from = { address: '203.0.113.7', forwarded_for: '198.51.100.7' };
    const placed_by = { kind: 'key' as const, key_id: 'key_1', name: 'backend', ...from };
    const call = aCall({ org_id: ORG, call_id: 'call_1', status: 'completed', duration: 134, placed_by });
    const world = aWorld();
    world.putCall(call);
    const entries = [
      topUpEntry(ORG, 'ref', 5_000, '2026-03-02T05:00:00.000Z', '=cash'),
      holdEntry(call, 2_000, START),
      holdEntry({ org_id: ORG, call_id: 'call_gone' }, 2_000, '2026-03-02T07:00:00.000Z'),
    ];
    for (const entry of entries) world.put('credit-ledger', entry);
    const { items } = await listCreditEntries(world.common, ORG, { limit: 50 });
    const shown = items.map(viewListedEntry);
    expect(shown.map(({ call_id, key, call: of }) => [call_id, key, of])).toEqual([
      ['call_gone', null, null],
      ['call_1', { key_id: 'key_1', name: 'backend' }, { phone_number: call.phone_number, duration: 134 }],
      [null, null, null],
    ]);
    expect(JSON.stringify(shown)).not.toMatch(/203\.0\.113|198\.51\.100/);
    const [, , row, top] = creditCsv(shown).split('\r\n');
    expect(row).toMatch(/98.*,134,call_1,backend,/);
    expect(top).toContain("'=cash");
  });
});
