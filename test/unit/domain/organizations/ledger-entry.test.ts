import fc from 'fast-check';
import { chargeFor, holdFor } from '../../../../shared/domain/organizations/credit.ts';
import {
  creditReferenceSchema,
  holdEntry,
  type LedgerEntry,
  ledgerEntrySchema,
  releaseEntry,
  settlementEntry,
  topUpEntry,
  unenteredHold,
  unlistedHolds,
  viewLedgerEntry,
  viewListedEntry,
  withUnenteredHold,
} from '../../../../shared/domain/organizations/ledger-entry.ts';
import type { Write } from '../../../../shared/stores/dynamodb/transaction.ts';
import { organizationStore } from '../../../../shared/stores/organizations/organizations.ts';
import { forAll } from '../../../support/values/for-all.ts';

const call = { org_id: 'org1', call_id: 'call_1' };
const at = '2026-03-02T06:00:00.000Z';
const sum = (entries: LedgerEntry[], column: 'amount' | 'held') =>
  entries.reduce((total, entry) => total + entry[column], 0);

const life = fc.record({
  rate: fc.integer({ min: 0, max: 5000 }),
  maxSeconds: fc.integer({ min: 10, max: 3600 }),
  connected: fc.oneof(fc.integer({ min: 0, max: 8000 }), fc.constant('not_dialed' as const)),
});

describe('the ledger of an org', () => {
  it('sums to the balance and the held credit after every write, and a call costs exactly its cost', () => {
    const organizations = organizationStore({} as never, 'organizations');
    forAll([fc.integer({ min: 0, max: 10_000_000 }), fc.array(life, { maxLength: 20 })], (credit, lives) => {
      let org = { available: 0, held: 0 };
      const books: LedgerEntry[] = [];
      const write = (change: Write, entry: LedgerEntry) => {
        const { ':add_available': available = 0, ':add_held': held = 0 } =
          change.Update?.ExpressionAttributeValues ?? {};
        org = { available: org.available + Number(available), held: org.held + Number(held) };
        books.push(entry);
        expect(sum(books, 'amount')).toBe(org.available + org.held);
        expect(sum(books, 'held')).toBe(org.held);
        expect(org.held).toBeGreaterThanOrEqual(0);
        expect(org.available).toBeGreaterThanOrEqual(0);
      };
      write(organizations.toppingUp('org1', credit), topUpEntry('org1', 'first', credit, at));
      lives.forEach(({ rate, maxSeconds, connected }, index) => {
        const before = org.available + org.held;
        const held = holdFor(rate, maxSeconds);
        if (org.available < held) return; // The condition of the write refuses this hold.
        const one = { ...call, call_id: `call_${index}` };
        write(organizations.holding('org1', held), holdEntry(one, held, at));
        if (connected === 'not_dialed') {
          write(organizations.settling('org1', { held, cost: 0 }), releaseEntry(one, held, at));
          expect(org.available + org.held).toBe(before);
          return;
        }
        const { cost } = chargeFor({ rate, held }, connected);
        write(organizations.settling('org1', { held, cost }), settlementEntry(one, { held, cost }, at));
        expect(org.available + org.held).toBe(before - cost);
      });
      expect(org.held).toBe(0);
    });
  });

  it('has the columns of each kind of entry, and is read back with them', () => {
    const entries = [
      topUpEntry('org1', 'top', 5000, at),
      holdEntry(call, 3000, at),
      settlementEntry(call, { held: 3000, cost: 1000 }, at),
      releaseEntry(call, 3000, at),
    ];
    expect(entries.map((entry) => ledgerEntrySchema.parse(entry))).toMatchObject([
      { kind: 'top_up', amount: 5000, held: 0 },
      { kind: 'hold', amount: 0, held: 3000 },
      { kind: 'settlement', amount: -1000, held: -3000 },
      { kind: 'release', amount: 0, held: -3000 },
    ]);
  });

  it('has the same key for a repeated placing, and different keys for different entries', () => {
    expect(holdEntry(call, 3000, at)).toEqual(holdEntry({ ...call }, 3000, at));
    const keys = [
      topUpEntry('org1', 'call_1', 1, at),
      holdEntry(call, 1, at),
      settlementEntry(call, { held: 1, cost: 0 }, at),
      releaseEntry(call, 1, at),
      holdEntry({ ...call, call_id: 'call_2' }, 1, at),
    ].map(({ entry }) => entry);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('numbers the holds of a call that was released several times, so that each has its own entries', () => {
    const entriesOf = (of: typeof call & { holds?: number }) => [
      holdEntry(of, 3000, at),
      releaseEntry(of, 3000, at),
      settlementEntry(of, { held: 3000, cost: 0 }, at),
    ];
    for (const holds of [1, 2, 3]) {
      const entries = entriesOf({ ...call, holds });
      const keys = ['hold', 'release', 'settlement'].map((kind) => `${at}#call_1#${kind}#${holds}`);
      expect(entries.map(({ entry }) => entry)).toEqual(keys);
      for (const entry of entries) expect(entry).not.toHaveProperty('holds');
    }
    expect(entriesOf(call)).toEqual(entriesOf({ ...call, holds: 1 }));
  });

  it('is shown in credits, without absent members', () => {
    const topUp = topUpEntry('org1', 'id', 1_500, at, 'invoice 7');
    const shown = { entry: topUp.entry, at, kind: 'top_up', amount: 1.5, held: 0, call_id: null };
    expect(viewLedgerEntry(topUp)).toEqual({ ...shown, key: null, reason: 'invoice 7' });
    const hold = holdEntry(call, 2_000, at);
    const ofCall = { entry: hold.entry, at, kind: 'hold', amount: 0, held: 2, call_id: call.call_id };
    expect(viewLedgerEntry(hold)).toEqual({ ...ofCall, key: null, reason: null });
  });

  it('shows the number and the length of a call until the call is deleted', () => {
    const entry = holdEntry(call, 2_000, at);
    const listed = (of: Parameters<typeof viewListedEntry>[0]['call']) => viewListedEntry({ entry, call: of });
    const phone_number = '+919812345678';
    expect(listed({ phone_number, duration: 30 })).toEqual({
      ...viewLedgerEntry(entry),
      call: { phone_number, duration: 30 },
    });
    expect(listed({ phone_number }).call).toEqual({ phone_number, duration: null });
    expect(listed(undefined).call).toBeNull();
  });

  it('names in each entry the API key that placed the call and the addresses of its client', () => {
    const key = { key_id: 'key_1', name: 'backend' };
    const from = { address: '203.0.113.7', forwarded_for: '198.51.100.7' };
    for (const [placed_by, kept] of [
      [
        { kind: 'key' as const, ...key, ...from },
        { ...key, ...from },
      ],
      [{ kind: 'key' as const, ...key }, key],
      [{ kind: 'member' as const, user_id: 'u1', name: 'Priya', ...from }, undefined],
      [{ kind: 'lead' as const }, undefined],
    ] as const) {
      const of = { ...call, placed_by };
      for (const [entry, bare] of [
        [holdEntry(of, 1, at), holdEntry(call, 1, at)],
        [releaseEntry(of, 1, at), releaseEntry(call, 1, at)],
        [settlementEntry(of, { held: 1, cost: 1 }, at), settlementEntry(call, { held: 1, cost: 1 }, at)],
      ] as const) {
        expect(entry).toEqual({ ...bare, ...(kept && { key: kept }) });
        expect(ledgerEntrySchema.parse(entry)).toEqual(entry);
        expect(viewLedgerEntry(entry).key).toEqual(kept ? key : null);
      }
    }
  });

  it('is sorted by time', () => {
    const early = topUpEntry('org1', 'zzz', 1, '2026-03-02T05:59:59.999Z');
    expect(early.entry < holdEntry(call, 1, at).entry).toBe(true);
  });

  it("shows the note of an entry's reference", () => {
    const note = { of: topUpEntry('org1', 'id', 1, at).entry, amount: 1 };
    expect(creditReferenceSchema.parse({ ...note, org_id: 'org1' })).toEqual(note);
  });

  it('contains the reason of a top-up, and is read back unchanged', () => {
    const entry = topUpEntry('org1', 'id', -500, at, 'refund');
    expect(ledgerEntrySchema.parse(entry)).toEqual({
      org_id: 'org1',
      entry: `${at}#id#top_up#1`,
      kind: 'top_up',
      amount: -500,
      held: 0,
      reason: 'refund',
      at,
    });
  });

  describe('without the hold of an open call', () => {
    const created_at = '2026-03-02T05:00:00.000Z';
    const open = { ...call, held: 3000, created_at, hold_unentered: true };
    const hold = holdEntry(call, 3000, created_at);
    const end = settlementEntry(call, { held: 3000, cost: 1000 }, at);

    it('gets from the call the entry that the end will add, unless it is the hold of another call', () => {
      expect(unenteredHold(open)).toEqual(hold);
      expect(unenteredHold({ ...open, hold_unentered: undefined })).toBeUndefined();
    });

    it('shows that entry before the others of the call, and once, even if the call ends meanwhile', () => {
      expect(withUnenteredHold(open, [])).toEqual([hold]);
      expect(withUnenteredHold(open, [end])).toEqual([hold, end]);
      expect(withUnenteredHold(open, [hold, end])).toEqual([hold, end]);
      expect(withUnenteredHold({ ...open, hold_unentered: false }, [end])).toEqual([end]);
    });

    it('shows the holds of calls that no list shows as one, the newest entry', () => {
      const others = unlistedHolds('org1', 6000, at);
      expect(ledgerEntrySchema.parse(others)).toEqual({
        org_id: 'org1',
        entry: `${at}#open calls#hold#1`,
        kind: 'hold',
        amount: 0,
        held: 6000,
        reason: 'calls that have not ended',
        at,
      });
      expect(others.entry > hold.entry).toBe(true);
    });
  });
});
