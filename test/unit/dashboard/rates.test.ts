import { formatRate, holdRange } from '../../../dashboard/words/assistants/rates.ts';
import { viewMe } from '../../../shared/domain/organizations/members/member-view.ts';
import type { Organization } from '../../../shared/domain/organizations/organization.ts';
import { anOrg, ORG } from '../support/worlds/items.ts';

const member = { user_id: 'u1', org_id: ORG, email: 'p@example.com', name: 'Priya', role: 'member' as const };
const seen = (over: Partial<Organization>) =>
  viewMe({ ...member, created_at: '2026-01-01T00:00:00.000Z' }, { org: anOrg(over), admins: [], stage: 'local' }).org;

describe('the price of a minute', () => {
  it.each<[string, Partial<Organization>, rate: string, hold: [number, number]]>([
    ['the same everywhere', { rate: 1_000 }, '1 credit', [10, 10]],
    [
      'higher in one of the countries',
      { rate: 1_000, countries: ['IN', 'AE'], rates: { AE: 2_500 } },
      '1 to 2.5 credits, by country',
      [10, 25],
    ],
    ['different in the only country', { rate: 1_000, countries: ['IN'], rates: { IN: 500 } }, '0.5 credits', [5, 5]],
    [
      'different only in a country that may not be called',
      { rate: 1_000, countries: ['IN'], rates: { AE: 2_500 } },
      '1 credit',
      [10, 10],
    ],
    [
      'lower in one country while every country may be called',
      { rate: 2_000, rates: { US: 500 } },
      '0.5 to 2 credits, by country',
      [5, 20],
    ],
  ])('is shown if it is %s', (_which, org, rate, hold) => {
    expect([formatRate(seen(org)), holdRange(seen(org), 600)]).toEqual([rate, hold]);
  });
});
