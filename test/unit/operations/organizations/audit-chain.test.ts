import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import fc from 'fast-check';
import { chained, headAt } from '../../../../shared/domain/organizations/audit/audit-chain.ts';
import { type AuditEntry, auditEntryOf } from '../../../../shared/domain/organizations/audit/audit-entry.ts';
import { isLink, linkOf, verifyChain } from '../../../../shared/domain/organizations/audit/audit-verification.ts';
import { marshallOptions } from '../../../../shared/runtime/dynamodb.ts';
import { ORG } from '../../support/worlds/items.ts';
import { aWorld, START } from '../../support/worlds/world.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const start = Date.parse(START);
const HEAD = { org_id: `${ORG}#head`, entry: 'head' };

const anEntry = (number: number, after: Readonly<Record<string, unknown>> = { number }): AuditEntry =>
  auditEntryOf(
    {
      org_id: ORG,
      actor: { kind: 'member', user_id: 'u1', email: 'priya@example.com' },
      action: 'member.invited',
      thing: { id: `t${number}`, name: `Thing ${number}` },
      after,
    },
    new Date(start + number * MINUTE),
    'token',
  );

/** An organization's audit log with entries 1 to `count`, written one after the other. */
async function aLog(count = 5) {
  const world = aWorld();
  const { audit, auditChains } = world.stores;
  const add = (entry: AuditEntry) => world.common.transact({ audit: audit.adding(entry) });
  for (let number = 1; number <= count; number += 1) await add(anEntry(number));
  const keyOf = (number: number) => ({ org_id: ORG, entry: anEntry(number).entry });
  const stored = (number: number) => world.find('audit', keyOf(number)) as Record<string, unknown>;
  return Object.assign(world, {
    add,
    stored,
    head: () => world.find('audit', HEAD) as Record<string, unknown>,
    lose: (number: number) => world.remove('audit', keyOf(number)),
    verify: async (day = 0, earlier?: { sequence: number; hash: string }) =>
      verifyChain(await auditChains.of(ORG, 1_000), new Date(start + day * DAY), earlier),
  });
}

describe('the audit log', () => {
  it('has in each entry the hash of the previous one, and passes verification', async () => {
    const log = await aLog(3);
    expect([1, 2, 3].map((number) => log.stored(number))).toMatchObject([
      { sequence: 1, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
      { sequence: 2, previous_hash: log.stored(1).hash },
      { sequence: 3, previous_hash: log.stored(2).hash },
    ]);
    expect(log.head()).toMatchObject({ sequence: 3, hash: log.stored(3).hash });
    expect(await log.verify()).toEqual({ chained: 3, unchained: 0, findings: [] });
  });

  it('has each of 60 concurrent entries, in its own place', async () => {
    const log = await aLog(0);
    const results = await Promise.all(Array.from({ length: 60 }, (_, number) => log.add(anEntry(number))));
    expect(new Set(results.map(({ committed }) => committed))).toEqual(new Set([true]));
    expect(await log.verify()).toEqual({ chained: 60, unchained: 0, findings: [] });
  });

  it('has a separate chain for each organization', async () => {
    const log = await aLog(2);
    await log.add({ ...anEntry(1), org_id: 'org2' });
    expect(log.all('audit').find(({ org_id }) => org_id === 'org2')).toMatchObject({ sequence: 1 });
  });

  it('keeps its hashes for any values that DynamoDB returns', async () => {
    const values = fc.dictionary(
      fc.string({ unit: 'binary' }),
      fc.oneof(
        fc.anything({
          withNullPrototype: false,
          maxDepth: 2,
          key: fc.string(),
          values: [fc.string({ unit: 'binary' })],
        }),
        fc.constantFrom<unknown>(
          undefined,
          null,
          [undefined, 1],
          { a: undefined },
          JSON.parse('{"__proto__": "a"}'),
          { constructor: 'a' },
          -0,
          0.1 + 0.2,
          1e-7,
          '\ud800',
          '',
        ),
        fc.double({ noNaN: true, min: -1e15, max: 1e15 }).filter((number) => Math.abs(number) > 1e-100 || number === 0),
      ),
    );
    await fc.assert(
      fc.property(values, (after) => {
        const item = chained(anEntry(1, after), { sequence: 1, hash: 'x', last_expires_at: 2 });
        const sent = JSON.stringify(marshall(item, marshallOptions()));
        // The service stores UTF-8, which cannot contain half of a surrogate pair.
        const kept = JSON.parse(sent, (_, text) => (typeof text === 'string' ? text.toWellFormed() : text));
        const returned = unmarshall(kept);
        const link = linkOf(returned);
        expect([isLink(link) && link.isIntact, returned.hash]).toEqual([true, item.hash]);
      }),
      { numRuns: 40 },
    );
  });
});

describe('a verification of the audit log', () => {
  type Log = Awaited<ReturnType<typeof aLog>>;
  const rehashed = (item: Record<string, unknown>) => {
    const { sequence, hash: _, previous_hash, previous_expires_at, ...entry } = item;
    const head = { sequence: (sequence as number) - 1, hash: previous_hash, last_expires_at: previous_expires_at };
    return chained(entry as AuditEntry, head as never);
  };

  it.each<[string, (log: Log) => unknown, RegExp]>([
    [
      'a changed entry',
      (log) => log.put('audit', { ...log.stored(3), after: { number: 4 } }),
      /^Entry \S+#token \(sequence 3, member.invited\) was changed/,
    ],
    [
      'an entry with another actor',
      (log) => log.put('audit', { ...log.stored(1), actor: { kind: 'operator', name: 'ravi' } }),
      /^Entry \S+ \(sequence 1, .*was changed/,
    ],
    [
      'an entry with an extra attribute',
      (log) => log.put('audit', { ...log.stored(2), note: 'x' }),
      /^Entry \S+ \(sequence 2, .*was changed/,
    ],
    [
      'a changed entry with a new hash',
      (log) => log.put('audit', rehashed({ ...log.stored(3), after: { number: 4 } })),
      /^Entry \S+ \(sequence 3, .*was replaced: the entry after it/,
    ],
    [
      'a newest entry with a new hash',
      (log) => log.put('audit', rehashed({ ...log.stored(5), after: { number: 4 } })),
      /^The newest entry \S+ \(sequence 5, .*was replaced/,
    ],
    ['a missing entry', (log) => log.lose(3), /^The entry with sequence 3 is missing before entry \S+ \(sequence 4/],
    ['missing entries', (log) => [log.lose(2), log.lose(3)], /^The entries 2 to 3 are missing before entry/],
    ['a missing first entry', (log) => log.lose(1), /^The entry with sequence 1 is missing before entry/],
    ['a missing newest entry', (log) => log.lose(5), /^The entry with sequence 5 is missing at the end/],
    [
      'a log without entries',
      (log) => [1, 2, 3, 4, 5].map((number) => log.lose(number)),
      /^The entries 1 to 5 are missing at the end/,
    ],
    [
      'a head that was rolled back',
      (log) => log.put('audit', { ...log.head(), sequence: 4, hash: log.stored(4).hash }),
      /^The head of the chain was rolled back or removed: it does not know entry \S+ \(sequence 5/,
    ],
    ['a removed head', (log) => log.remove('audit', HEAD), /^The head of the chain was rolled back or removed/],
    [
      'a second entry of one sequence',
      (log) => log.put('audit', { ...log.stored(3), entry: `${log.stored(3).entry}2` }),
      /share one sequence/,
    ],
    [
      'an entry without a place that is newer than the chain',
      (log) => log.put('audit', anEntry(100)),
      /^Entry \S+ has no place in the chain, which began before it/,
    ],
    [
      'an entry that is malformed',
      (log) => log.put('audit', { org_id: ORG, entry: 'x', sequence: 'y' }),
      /^Entry x has no place/,
    ],
  ])('finds %s', async (_what, tamper, finding) => {
    const log = await aLog();
    await tamper(log);
    const { findings } = await log.verify();
    expect(findings).toEqual(expect.arrayContaining([expect.stringMatching(finding)]));
  });

  it('counts entries that are older than the chain, or that a function of the former version wrote later', async () => {
    const log = await aLog();
    log.put('audit', anEntry(-9));
    log.put('audit', anEntry(59));
    expect(await log.verify()).toEqual({ chained: 5, unchained: 2, findings: [] });
  });

  it('accepts missing entries only once they have expired, in any order', async () => {
    const log = await aLog();
    log.lose(1);
    log.lose(3);
    const [early] = (await log.verify(399)).findings;
    expect(early).toMatch(/sequence 1 is missing/);
    expect((await log.verify(400.01)).findings).toEqual([]);
    for (const number of [2, 4, 5]) log.lose(number);
    expect((await log.verify(401)).findings).toEqual([]);
    await log.add(anEntry(401 * 1440));
    expect(await log.verify(401)).toEqual({ chained: 1, unchained: 0, findings: [] });
  });

  it('detects the removal of the newest entries together with their head only by an earlier result', async () => {
    const log = await aLog();
    const earlier = { sequence: 5, hash: String(log.stored(5).hash) };
    expect((await log.verify(0, earlier)).findings).toEqual([]);
    log.lose(5);
    log.put('audit', { ...log.head(), sequence: 4, hash: log.stored(4).hash });
    expect((await log.verify()).findings).toEqual([]);
    expect((await log.verify(0, earlier)).findings).toEqual([
      'The entry with sequence 5, which an earlier verification found, is not stored.',
    ]);
    await log.add(anEntry(6));
    expect((await log.verify(0, earlier)).findings).toEqual([
      'The entry with sequence 5, which an earlier verification found, has another hash.',
    ]);
  });

  it('ignores entries written during verification', async () => {
    const log = await aLog();
    log.hooks.after = (operation) => {
      if (operation !== 'Query') return;
      delete log.hooks.after;
      // The first one sorts before the page that was read last.
      for (const number of [-3, 7]) {
        const item = chained(anEntry(number), log.head() as never);
        log.put('audit', item);
        log.put('audit', { ...HEAD, ...headAt(item) });
      }
    };
    expect(await log.verify()).toEqual({ chained: 5, unchained: 0, findings: [] });
  });
});
