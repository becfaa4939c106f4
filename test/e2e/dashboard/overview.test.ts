import { showOverview } from '../../../shared/messages/dashboard/overview.ts';
import { acting, aMember } from '../../support/dashboard/dashboard.ts';
import { anOrg, changeOrg, type TestOrg, untilCall } from '../../support/organizations/orgs.ts';
import { aPhoneNumber, placeCall } from '../../support/rest/rest.ts';
import { voice } from '../../support/stack/stack.ts';

const viewerOf = async (org: TestOrg) => {
  const asViewer = await acting(await aMember(org, 'viewer'));
  return async (query = '') => showOverview.answer.parse((await asViewer(showOverview, { query })).body);
};

const none = { count: 0, is_cut: false };

describe('show-overview', () => {
  it('shows the figures of placed calls, to the last unit, and the open tasks', async () => {
    const org = await anOrg({ credits: 100, rate: 0.25 });
    // Far above the cost of these calls.
    await changeOrg(org.orgId, { daily_limit: 50_000_000 });
    const [show, showOther] = await Promise.all([viewerOf(org), viewerOf(await anOrg())]);
    const numbers = [aPhoneNumber(), aPhoneNumber()] as const;
    await voice.script(numbers[0], { behaviour: 'answer', talkSeconds: 61 });
    await voice.script(numbers[1], { behaviour: 'busy', ringSeconds: 1 });
    const placed = await Promise.all(numbers.map((phone_number) => placeCall(org, { phone_number })));
    const [answered] = await Promise.all(
      placed.map((id) => untilCall(id, ({ finished_at }) => finished_at !== undefined)),
    );
    await changeOrg(org.orgId, { warn_below: 200_000 });

    const overview = await show('?days=30');
    expect(overview).toMatchObject({
      unread: [],
      now: { live: none, waiting: none, scheduled: none },
      leads: { leads: 0 },
      connections: [],
      steps: { assistant: true, tried: true, source: true, call: true, callback: false },
      attention: [{ kind: 'low_credit', warn_below: 200 }],
    });
    expect(overview.usage).toHaveLength(30);
    const sum = (of: 'completed' | 'busy' | 'seconds' | 'credits' | 'success' | 'partial' | 'failure') =>
      overview.usage?.reduce((so, day) => so + day[of], 0) ?? 0;
    expect([sum('completed'), sum('busy'), sum('seconds')]).toEqual([1, 1, answered?.duration]);
    expect(sum('credits')).toBe(0.5);
    expect(sum('success') + sum('partial') + sum('failure')).toBe(answered?.analyzed_at ? 1 : 0);
    expect(overview.credit).toMatchObject({
      available: 99.5,
      held: 0,
      pace: 0.5,
      today: { limit: 50_000, spent: 0.5 },
    });

    expect((await showOther()).usage?.every((day) => day.completed + day.busy === 0)).toBe(true);
  });
});
