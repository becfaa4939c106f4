import { topUpEntry } from '../../../shared/domain/organizations/ledger-entry.ts';
import { listCreditEntries } from '../../../shared/messages/dashboard/credit.ts';
import { acting, aMember } from '../../support/dashboard/dashboard.ts';
import { anOrg, stores } from '../../support/organizations/orgs.ts';
import { aPhoneNumber, postCall } from '../../support/rest/rest.ts';

const viewerOf = async (org: Awaited<ReturnType<typeof anOrg>>) => {
  const asViewer = await acting(await aMember(org, 'viewer'));
  return async (query = '') => listCreditEntries.answer.parse((await asViewer(listCreditEntries, { query })).body);
};

describe('list-credit-entries', () => {
  it('shows what a call holds and by which API key, in credits, newest first', async () => {
    const org = await anOrg({ credits: 50.5 });
    const placed = await postCall(org, { phone_number: aPhoneNumber(), assistant_id: org.assistantId });
    const { items } = await (await viewerOf(org))();
    const [first] = items.filter(({ kind }) => kind === 'hold');
    expect(first).toMatchObject({ amount: 0, held: 10, call_id: placed.body.call_id, reason: null });
    expect(first?.key).toEqual({ key_id: org.keyId, name: 'test' });
    expect(items.at(-1)).toMatchObject({ kind: 'top_up', amount: 50.5, held: 0, call_id: null });
  });

  it('lists every entry of a range once, while others are added; a cursor is invalid for another organization', async () => {
    const org = await anOrg({ credits: 1 });
    const [list, listOther] = [await viewerOf(org), await viewerOf(await anOrg({ credits: 2 }))];
    const add = (day: number, id: string) =>
      stores.transact({
        entry: stores.ledger.adding(topUpEntry(org.orgId, id, 1000, `2026-01-0${day}T10:00:00.000Z`, id)),
      });
    for (const day of [1, 2, 3, 4, 5]) await add(day, `d${day}`);
    const seen: (string | null)[] = [];
    for (let next: string | null = ''; next !== null; ) {
      const range = 'from=2026-01-02T00:00:00.000Z&to=2026-01-05T10:00:00.000Z';
      const page = await list(`?limit=2&${range}${next ? `&next=${next}` : ''}`);
      seen.push(...page.items.map(({ reason }) => reason));
      next = page.next;
      if (next)
        expect((await listOther(`?next=${next}`)).items.filter(({ reason }) => /^d\d/.test(reason ?? ''))).toEqual([]);
      await add(5, `later${seen.length}`);
    }
    expect(seen).toEqual(['d5', 'd4', 'd3', 'd2']);
  });
});
