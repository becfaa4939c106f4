import fc from 'fast-check';
import {
  type AuditEntry,
  auditActions,
  auditEntryOf,
} from '../../../../shared/domain/organizations/audit/audit-entry.ts';
import { listAuditEntries } from '../../../../shared/operations/organizations/members/list-audit-entries.ts';
import { ORG } from '../../support/worlds/items.ts';
import { aWorld, START } from '../../support/worlds/world.ts';

const MINUTE = 60_000;
const start = Date.parse(START);
const anEntry = (number: number, action: AuditEntry['action'] = 'member.invited', org_id = ORG): AuditEntry =>
  auditEntryOf(
    {
      org_id,
      actor: { kind: 'member', user_id: 'u1', email: 'priya@example.com' },
      action,
      thing: { id: `t${number}`, name: `Thing ${number}` },
    },
    new Date(start + number * MINUTE),
    'token',
  );
const worldOf = (audit: AuditEntry[]) => aWorld({ audit });

describe('an audit entry', () => {
  it('contains the attributes that differ, before and after, and no others', () => {
    const { before, after } = auditEntryOf(
      {
        org_id: ORG,
        actor: { kind: 'operator', name: 'ravi' },
        action: 'member.updated',
        thing: { id: 'u1', name: 'Meera' },
        before: { name: 'Meera', role: 'viewer', tags: ['a'], phone: '+91*******678' },
        after: { name: 'Meera Rao', role: 'viewer', tags: ['a'], place: 'Pune' },
      },
      new Date(start),
      'token',
    );
    expect([before, after]).toEqual([
      { name: 'Meera', phone: '+91*******678' },
      { name: 'Meera Rao', place: 'Pune' },
    ]);
  });

  it('without a difference contains neither', () => {
    expect(Object.keys(anEntry(1))).not.toEqual(expect.arrayContaining(['before']));
  });

  it('is kept for 400 days', () => {
    expect(anEntry(0).expires_at).toBe(start / 1000 + 400 * 86_400);
  });
});

describe('the audit log', () => {
  it('shows each matching entry once, newest first, for any page size, and none of another organization', async () => {
    const action = fc.constantFrom(...auditActions);
    const pages = fc.record({
      actions: fc.array(action, { maxLength: 40 }),
      wanted: action,
      limit: fc.integer({ min: 1, max: 9 }),
    });
    await fc.assert(
      fc.asyncProperty(pages, async ({ actions, wanted, limit }) => {
        const entries = actions.map((one, number) => anEntry(number, one));
        const { common } = worldOf([...entries, anEntry(3, wanted, 'org2')]);
        const seen: string[] = [];
        for (let before: string | undefined = '~'; before !== undefined; ) {
          const page = await listAuditEntries(
            common,
            ORG,
            { action: wanted },
            { limit, ...(before !== '~' && { before }) },
          );
          expect(page.items.length).toBeLessThanOrEqual(limit);
          seen.push(...page.items.map(({ entry }) => entry));
          before = page.next;
        }
        const matching = entries.filter((one) => one.action === wanted).map(({ entry }) => entry);
        expect(seen).toEqual(matching.reverse());
      }),
      { numRuns: 40 },
    );
  });

  it('ends the search of a filter without matches after five reads, reports how far it came, and continues from there', async () => {
    const world = worldOf(Array.from({ length: 60 }, (_, number) => anEntry(number)));
    const searched: (string | undefined)[] = [];
    let before: string | undefined;
    do {
      const reads = world.countReads();
      const page = await listAuditEntries(
        world.common,
        ORG,
        { thing: 'nothing' },
        { limit: 50, ...(before !== undefined && { before }) },
      );
      // The in-memory database has pages of three items.
      expect([page.items, reads() <= 15]).toEqual([[], true]);
      searched.push(page.searchedTo);
      before = page.next;
    } while (before !== undefined);
    expect(searched.length).toBeGreaterThan(2);
    expect(searched.slice(0, -1)).toEqual([...new Set(searched.slice(0, -1))].sort().reverse());
    expect(searched.at(-1)).toBeUndefined();
  });

  it('reads only one page if only times are filtered', async () => {
    const world = worldOf(Array.from({ length: 60 }, (_, number) => anEntry(number)));
    const reads = world.countReads();
    await listAuditEntries(world.common, ORG, { to: anEntry(50).at }, { limit: 2 });
    expect(reads()).toBe(2);
  });

  it.each<[string, object, number]>([
    ['part of the address', { actor: 'PRIYA' }, 3],
    ['another address', { actor: 'ravi' }, 0],
    ['the id of the thing', { thing: 't1' }, 1],
    ['part of its name', { thing: 'thing' }, 3],
    ['a time, inclusive', { from: anEntry(1).at, to: anEntry(1).at }, 1],
  ])('is filtered by %s', async (_what, filter, count) => {
    const { common } = worldOf([0, 1, 2].map((number) => anEntry(number)));
    expect((await listAuditEntries(common, ORG, filter, { limit: 50 })).items).toHaveLength(count);
  });
});
