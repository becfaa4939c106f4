import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import type { TableName } from '../../../../lib/tables.ts';
import { callIdForLead } from '../../../../shared/domain/ids.ts';
import { aCall } from '../../support/call.ts';
import { aCrmAEvent, CALL, crmALeads, leadKey, phoneKey } from '../../support/crm-a-leads.ts';
import { anOrg, ORG } from '../../support/worlds/items.ts';
import { aClaim, CONNECTION, HOLD, timeOut } from '../../support/worlds/lead-world.ts';

describe('a race that other writes in the transaction win', () => {
  type Race = { table: TableName; item: object; outcome: string };
  const existing = { ...aCall({ call_id: CALL, org_id: ORG }), request_metadata: '{}' };
  /** Concurrent writes between the reads and the transaction, in the order of precedence, with the outcome. */
  const races: Record<string, Race> = {
    'its own call': { table: 'calls', item: existing, outcome: 'call queued' },
    'its own claim': { table: 'claims', item: aClaim(leadKey(), 'evt_1'), outcome: 'call queued' },
    "the lead's claim": { table: 'claims', item: aClaim(leadKey()), outcome: 'already_called_race' },
    "the phone's claim": { table: 'claims', item: aClaim(phoneKey()), outcome: 'phone_already_called' },
  };

  async function expectLost(lost: readonly Race[]) {
    const world = crmALeads();
    let before = world.snapshot();
    world.hooks.before = (operation) => {
      if (operation !== 'TransactWrite') return;
      for (const { table, item } of lost) world.put(table, item);
      before = world.snapshot();
    };
    const outcome = await world.process();
    expect(outcome).toBe(lost[0]?.outcome);
    expect(world.snapshot().set('activity', [])).toEqual(before);
    expect(world.entries()).toMatchObject([{ outcome }]);
    const [entry] = world.entries();
    expect(entry?.call_id).toBe(outcome === 'call queued' ? CALL : undefined);
    expect(entry?.retryable).toBeUndefined();
  }

  it.each(Object.entries(races))('has the outcome of the other write and writes no item: %s', async (_what, race) => {
    await expectLost([race]);
  });

  it('has the outcome of the first of call, lead and phone if several writes won', async () => {
    const { 'its own claim': _, ...others } = races;
    await fc.assert(fc.asyncProperty(fc.subarray(Object.values(others), { minLength: 1 }), expectLost), {
      numRuns: 40,
    });
  });
});

describe('a transaction that fails or meets conflicts', () => {
  const conflict = (...codes: string[]) =>
    new TransactionCanceledException({
      $metadata: {},
      message: 'canceled',
      CancellationReasons: codes.map((Code) => ({ Code })),
    });
  const [OK, REFUSED, CONFLICT] = ['None', 'ConditionalCheckFailed', 'TransactionConflict'];

  it.each([
    ["decided at once by the event's call", 'call queued', 1, [REFUSED, OK, CONFLICT]],
    ["decided at once by the lead's claim", 'already_called_race', 1, [OK, REFUSED, CONFLICT]],
    ["decided at once by the phone's claim", 'phone_already_called', 1, [CONFLICT, OK, REFUSED]],
    ['tried again while others write the same items', 'call queued', 2, [OK, CONFLICT, OK]],
  ])('is %s: %s', async (_how, outcome, tries, codes) => {
    const { process, hooks, requests, put } = crmALeads();
    const made = () => requests.filter((request) => request === 'TransactWrite').length;
    hooks.before = (operation) => {
      if (operation !== 'TransactWrite' || made() !== 1) return;
      if (codes[1] === REFUSED) put('claims', aClaim(leadKey()));
      if (codes[2] === REFUSED) put('claims', aClaim(phoneKey()));
      throw conflict(...codes);
    };
    expect(await process()).toBe(outcome);
    expect(made()).toBe(tries);
  });

  it.each<[string, Error, string]>([
    ['Get', timeOut(), 'timed out'],
    ['BatchGet', timeOut(), 'timed out'],
    ['TransactWrite', timeOut(), 'timed out'],
    ['TransactWrite', conflict(OK, OK, CONFLICT), 'conflicting transactions'],
    ['Put', timeOut(), 'timed out'],
  ])(
    'fails without an entry if every %s fails, and the next delivery places the call',
    async (failing, error, text) => {
      const { process, hooks, entries } = crmALeads();
      hooks.before = (operation) => {
        if (operation === failing) throw error;
      };
      await expect(process()).rejects.toThrow(text);
      expect(entries()).toEqual([]);
      hooks.before = undefined;
      expect(await process()).toBe('call queued');
    },
  );
});

describe('many events at once', () => {
  const events = fc.uniqueArray(
    fc.record({
      id: fc.constantFrom('evt_1', 'evt_2', 'evt_3', 'evt_4', 'evt_5'),
      lead: fc.constantFrom('lead-1', 'lead-2', 'lead-3'),
      phone: fc.constantFrom('98765 43210', '09812345678'),
      times: fc.integer({ min: 1, max: 2 }),
    }),
    { selector: ({ id }) => id, minLength: 2, maxLength: 5 },
  );

  it('call each lead and each phone once, and leave one entry each, in any order of database answers', async () => {
    await fc.assert(
      fc.asyncProperty(events, fc.boolean(), fc.scheduler(), async (all, isAffordable, scheduler) => {
        const available = isAffordable ? HOLD : HOLD - 1;
        const world = crmALeads({ organizations: [anOrg({ available })] }, (send) => scheduler.scheduleFunction(send));
        const deliveries = all.flatMap(({ id, lead, phone, times }) =>
          Array(times).fill(aCrmAEvent({ event_id: id }, { lead_id: lead, phones: [phone] })),
        );
        await scheduler.waitFor(Promise.all(deliveries.map((event) => world.process(event))));

        const calls = world.calls();
        expect(new Set(calls.map(({ lead }) => lead?.lead_id)).size).toBe(calls.length);
        expect(new Set(calls.map(({ phone_number }) => phone_number)).size).toBe(calls.length);
        expect(calls.length > 0).toBe(isAffordable);
        expect([world.credit(), world.ledger()]).toEqual([{ available, held: 0 }, []]);
        expect(world.claims()).toHaveLength(2 * calls.length);

        const entries = world.entries();
        expect(entries.map(({ event_id }) => event_id).sort()).toEqual(all.map(({ id }) => id).sort());
        const queued = entries.filter(({ outcome }) => outcome === 'call queued');
        expect(queued.map(({ call_id }) => call_id).sort()).toEqual(calls.map(({ call_id }) => call_id).sort());
        for (const { event_id, call_id } of queued) expect(call_id).toBe(callIdForLead(CONNECTION, event_id));
      }),
      { numRuns: 150 },
    );
  });
});
