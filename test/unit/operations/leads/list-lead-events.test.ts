import fc from 'fast-check';
import { type ActivityEntry, type Outcome, outcomes } from '../../../../shared/domain/connections/activity.ts';
import { checksOf, leadChecks } from '../../../../shared/domain/leads/lead-checks.ts';
import { decideLead } from '../../../../shared/domain/leads/lead-decision.ts';
import { type LeadEventFilter, matchesLeadFilter } from '../../../../shared/domain/leads/lead-event-filter.ts';
import { groupOf, outcomeGroups } from '../../../../shared/domain/leads/outcome-groups.ts';
import { countLeadEvents, listLeadEvents } from '../../../../shared/operations/leads/list-lead-events.ts';
import { aCrmAConnection } from '../../support/crm-a-leads.ts';
import { anAssistant, anOrg, ORG } from '../../support/worlds/items.ts';
import { aCallingConnection, OWNER, PHONE } from '../../support/worlds/lead-world.ts';
import { aWorld } from '../../support/worlds/world.ts';

const A = aCrmAConnection({ connection_id: 'conn_a' });
const B = aCallingConnection({ connection_id: 'conn_b' });
const at = (minute: number) => new Date(Date.parse('2026-03-02T06:00:00.000Z') + minute * 60_000).toISOString();

const anEntry = (connection_id: string, number: number, over: Partial<ActivityEntry> = {}): ActivityEntry => ({
  connection_id,
  event_id: `evt_${number}`,
  org_id: ORG,
  at: at(number),
  source: 'webhook',
  event: 'new_lead',
  test: false,
  outcome: 'owner_mismatch',
  reason: 'Because.',
  payload_keys: [],
  retryable: '{"lead":"Asha"}',
  expires_at: 4_000_000_000,
  ...over,
});

function aList(entries: readonly ActivityEntry[] = []) {
  const world = aWorld({
    connections: [A, B, { ...B, connection_id: 'conn_d', type: 'help-desk' }],
    activity: entries,
  });
  const deps = { ...world.common, calls: world.stores.callBriefs };
  return { world, deps };
}

type Deps = ReturnType<typeof aList>['deps'];

/** Reads every page. @param between runs after each page */
async function readAllPages(
  { deps }: Pick<ReturnType<typeof aList>, 'deps'>,
  filter: LeadEventFilter,
  limit: number,
  between: () => void = () => undefined,
): Promise<string[]> {
  const seen: string[] = [];
  for (let before: Awaited<ReturnType<typeof listLeadEvents>>['next']; ; ) {
    const { items, next, searchedTo } = await listLeadEvents(deps, ORG, filter, { limit, before });
    expect(items.length).toBeLessThanOrEqual(limit);
    seen.push(...items.map((entry) => `${entry.connection_id} ${entry.event_id}`));
    expect(JSON.stringify([items, next])).not.toContain('Asha');
    if (!next) return seen;
    expect(searchedTo).toBe(next.at);
    before = JSON.parse(JSON.stringify(next));
    between();
  }
}

describe('the events of two connections', () => {
  const someOutcomes: Outcome[] = ['call queued', 'owner_mismatch', 'insufficient_credits', 'call scheduled'];
  const entries = fc.uniqueArray(
    fc.record({
      connection: fc.constantFrom('conn_a', 'conn_b'),
      number: fc.nat({ max: 40 }),
      outcome: fc.constantFrom(...someOutcomes),
      test: fc.boolean(),
    }),
    { maxLength: 40, selector: ({ number }) => number },
  );
  const filters = fc.record(
    {
      group: fc.constantFrom(...outcomeGroups),
      outcome: fc.constantFrom(...someOutcomes),
      crm: fc.constantFrom('crm-a' as const, 'crm-b' as const),
      tests: fc.constantFrom('only' as const, 'none' as const),
      from: fc.nat({ max: 40 }).map(at),
      to: fc.nat({ max: 40 }).map(at),
    },
    { requiredKeys: [] },
  );

  it('are one list by time: each entry once, page by page, while new events arrive', async () => {
    await fc.assert(
      fc.asyncProperty(entries, filters, fc.integer({ min: 1, max: 7 }), async (all, filter, limit) => {
        const stored = all.map(({ connection, number, ...rest }) => anEntry(connection, number, rest));
        const expected = stored
          .filter(
            (entry) =>
              filter.crm === undefined || entry.connection_id === (filter.crm === 'crm-a' ? 'conn_a' : 'conn_b'),
          )
          .filter((entry) => entry.at >= (filter.from ?? '') && entry.at <= (filter.to ?? '9'))
          .filter((entry) => matchesLeadFilter(entry, filter))
          .sort((one, other) => (one.at < other.at ? 1 : -1));
        const list = aList(stored);
        let later = 100;
        const between = () => {
          later += 1;
          list.world.put('activity', anEntry(later % 2 ? 'conn_a' : 'conn_b', later));
        };
        const seen = await readAllPages(list, filter, limit, between);
        expect(seen).toEqual(expected.map((entry) => `${entry.connection_id} ${entry.event_id}`));
      }),
      { numRuns: 200 },
    );
  });

  it('are read in parts: a filter without matches reads no more than five pages of each connection', async () => {
    const { world, deps } = aList(Array.from({ length: 60 }, (_, number) => anEntry('conn_a', number)));
    const { items, searchedTo, next } = await listLeadEvents(deps, ORG, { outcome: 'do_not_call' }, { limit: 50 });
    expect([items, next?.at]).toEqual([[], searchedTo]);
    expect(world.requests.filter((one) => one === 'Query activity').length).toBeLessThanOrEqual(10);
    expect(await readAllPages({ deps }, { outcome: 'do_not_call' }, 50)).toEqual([]);
  });

  it('are not searched further after 400 ms, however few were found', async () => {
    const { world, deps } = aList(Array.from({ length: 60 }, (_, number) => anEntry('conn_a', number)));
    world.hooks.after = (operation) => {
      if (operation === 'Query') world.pass(0.2);
    };
    const { next } = await listLeadEvents(deps, ORG, { outcome: 'do_not_call' }, { limit: 50 });
    // The connections, and a page for each one with entries: the in-memory database has pages of three.
    expect([world.requests.filter((one) => one === 'Query activity').length, next?.at]).toEqual([2, at(57)]);
    expect(await readAllPages({ deps }, { outcome: 'owner_mismatch' }, 50)).toHaveLength(60);
  });

  it.each([
    ['counted', (deps: Deps) => countLeadEvents(deps, ORG, {})],
    ['filtered', (deps: Deps) => listLeadEvents(deps, ORG, { outcome: 'do_not_call' }, { limit: 50 })],
  ])(
    'are %s by reading only the required attributes, of a thousand events per connection at most',
    async (_how, run) => {
      const { world, deps } = aList(Array.from({ length: 9 }, (_, number) => anEntry('conn_a', number)));
      const asked: number[] = [];
      world.hooks.before = (_operation, { TableName, Limit, ProjectionExpression }) => {
        if (TableName !== 'activity') return;
        expect(ProjectionExpression).toBe('#connection_id, #event_id, #at, #lead_id, #outcome, #test, #superseded_by');
        asked.push(Number(Limit));
      };
      await run(deps);
      expect(Math.max(...asked)).toBeLessThanOrEqual(1000);
    },
  );

  it('are counted by outcome, and count as retryable only if their last try is', async () => {
    const credit = { outcome: 'insufficient_credits' } as const;
    const { deps } = aList([
      anEntry('conn_a', 1, credit),
      anEntry('conn_a', 2, { ...credit, event_id: 'evt_1.retry.1' }),
      anEntry('conn_b', 3, credit),
      anEntry('conn_b', 4, { event_id: 'evt_3.retry.1', outcome: 'call queued' }),
      anEntry('conn_b', 5, credit),
      anEntry('conn_b', 6, { event_id: 'evt_5.dial', outcome: 'expired' }),
      anEntry('conn_b', 7, { event_id: 'evt_7.waiting', outcome: 'crm_unavailable' }),
    ]);
    const { counts } = await countLeadEvents(deps, ORG, {});
    expect(counts).toEqual({
      outcomes: { insufficient_credits: 4, 'call queued': 1, expired: 1, crm_unavailable: 1 },
      retryable: [
        { connection_id: 'conn_b', outcome: 'expired', events: 1 },
        { connection_id: 'conn_a', outcome: 'insufficient_credits', events: 1 },
      ],
    });
  });
});

describe('an event that was retried', () => {
  const credit = { outcome: 'insufficient_credits' } as const;
  const retried = { ...credit, superseded_by: 'evt_1.retry.1' };
  const { deps } = aList([
    anEntry('conn_a', 1, retried),
    anEntry('conn_a', 2, { event_id: 'evt_1.retry.1', outcome: 'call queued' }),
    anEntry('conn_a', 3, credit),
  ]);
  const listed = async (filter: LeadEventFilter) =>
    (await listLeadEvents(deps, ORG, filter, { limit: 50 })).items.map(({ event_id }) => event_id);

  it('is listed and counted in the group of its retry alone, and still by its own outcome', async () => {
    expect(await listed({ group: 'needs_you' })).toEqual(['evt_3']);
    expect(await listed({ group: 'called' })).toEqual(['evt_1.retry.1']);
    expect(await listed({ outcome: 'insufficient_credits' })).toEqual(['evt_3', 'evt_1']);
    expect(await listed({})).toEqual(['evt_3', 'evt_1.retry.1', 'evt_1']);
    const { counts } = await countLeadEvents(deps, ORG, {});
    expect(counts.outcomes).toEqual({ insufficient_credits: 1, 'call queued': 1 });
    expect(counts.retryable).toEqual([{ connection_id: 'conn_a', outcome: 'insufficient_credits', events: 1 }]);
  });
});

describe('an event whose call was released, and ended before it rang', () => {
  const { deps } = aList([
    anEntry('conn_b', 1, { outcome: 'crm_unavailable', event_id: 'evt_1.waiting', superseded_by: 'evt_1' }),
    anEntry('conn_b', 2, { outcome: 'call scheduled', event_id: 'evt_1', superseded_by: 'evt_1.release.202603030330' }),
    anEntry('conn_b', 3, {
      outcome: 'call queued',
      event_id: 'evt_1.release.202603030330',
      superseded_by: 'evt_1.dial',
    }),
    anEntry('conn_b', 4, { outcome: 'expired', event_id: 'evt_1.dial' }),
  ]);

  it('is in the group of its end alone, with every entry in the list', async () => {
    const { items } = await listLeadEvents(deps, ORG, {}, { limit: 50 });
    expect(items).toHaveLength(4);
    for (const group of outcomeGroups) {
      const found = (await listLeadEvents(deps, ORG, { group }, { limit: 50 })).items.map(({ event_id }) => event_id);
      expect([group, found]).toEqual([group, group === 'needs_you' ? ['evt_1.dial'] : []]);
    }
    const { counts } = await countLeadEvents(deps, ORG, {});
    expect(counts.outcomes).toEqual({ expired: 1 });
    expect(counts.retryable).toEqual([{ connection_id: 'conn_b', outcome: 'expired', events: 1 }]);
  });
});

describe('outcomes', () => {
  it.each(outcomes)('belong to a group and fail one check: %s', (outcome) => {
    expect(outcomeGroups).toContain(groupOf[outcome]);
    const failed = checksOf(outcome, 'crm-b').filter(({ state }) => state === 'failed' || state === 'waits');
    expect(failed).toHaveLength(1);
  });

  it('fail the checks in the order of the decision', () => {
    const lead = { lead_id: '1001', phones: [PHONE], owner_id: OWNER, do_not_call: false, fields: {} };
    /** Each violated fact, from the last check to the first. */
    const wrong = [
      { org: anOrg({ available: 0 }) },
      { opening: { from: new Date(), to: new Date(), isOpen: false } },
      { claimedBy: { lead: [], phone: ['evt_0'] } },
      { claimedBy: { lead: ['evt_0'], phone: ['evt_0'] } },
      { wasRetriedRecently: true },
      { assistant: undefined },
      { org: anOrg({ available: 0, default_region: 'AE', countries: [] }) },
      { onDoNotCallList: true },
      { org: anOrg({ available: 0, platform_numbers: [PHONE] }) },
      { lead: { ...lead, phones: [] } },
      { lead: { ...lead, phones: [], owner_id: 'other' } },
      { notFetched: { outcome: 'lead_not_found' as const, reason: 'No.' } },
      { lead: { ...lead, phones: [], lead_id: undefined } },
      { connection: { ...B, auto_call: false } },
    ];
    let facts: Parameters<typeof decideLead>[0] = {
      lead,
      connection: B,
      org: anOrg(),
      assistant: anAssistant(),
      onDoNotCallList: false,
      eventId: 'evt_1',
      claimedBy: { lead: [], phone: [] },
    };
    const failed = wrong.map((one) => {
      facts = { ...facts, ...one };
      const decision = decideLead(facts);
      const outcome = decision.kind === 'refused' ? decision.outcome : 'call scheduled';
      return checksOf(outcome, 'crm-b').find(({ state }) => state === 'failed' || state === 'waits')?.check;
    });
    expect(failed.reverse()).toEqual(leadChecks.slice(1, -1));
  });
});
