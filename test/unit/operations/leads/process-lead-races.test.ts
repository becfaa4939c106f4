import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { TableName } from '../../../../lib/tables.ts';
import type { ActivityEntry } from '../../../../shared/domain/connections/activity.ts';
import { TransactionContention } from '../../../../shared/domain/contention.ts';
import { callIdFor, callIdForLead } from '../../../../shared/domain/ids.ts';
import { aCall } from '../../support/call.ts';
import { aCrmAEvent, CALL, crmALeads, leadKey, phoneKey } from '../../support/crm-a-leads.ts';
import type { Send } from '../../support/database.ts';
import { anOrg, ORG } from '../../support/items.ts';
import { CONNECTION, HOLD, takenClaim } from '../../support/lead-world.ts';

const timeOut = () => Object.assign(new Error('timed out'), { name: 'TimeoutError' });

describe('a race that is lost to other writes in the transaction', () => {
  /** Concurrent writes between the reads and the transaction, in the order of precedence. */
  const others = {
    call: { calls: { ...aCall({ call_id: CALL, org_id: ORG }), request_metadata: '{}' } },
    'own lead claim': { claims: takenClaim(leadKey(), 'evt_1') },
    lead: { claims: takenClaim(leadKey()) },
    phone: { claims: takenClaim(phoneKey()) },
    credit: { organizations: anOrg({ available: 2_500 }) },
  } as const;
  const outcomeOf = {
    call: 'call queued',
    'own lead claim': 'call queued',
    lead: 'already_called_race',
    phone: 'phone_already_called',
    credit: 'insufficient_credits',
  } as const;
  type Other = keyof typeof others;

  async function losingTo(names: readonly Other[]) {
    const run = crmALeads();
    let before = run.snapshot();
    run.hooks.before = (operation) => {
      if (operation !== 'TransactWrite') return;
      for (const name of names)
        for (const [table, item] of Object.entries(others[name])) run.put(table as TableName, item);
      before = run.snapshot();
    };
    const outcome = await run.process();
    const after = run.snapshot();
    before.delete('activity');
    after.delete('activity');
    return { outcome, before, after, entry: run.entries()[0] as ActivityEntry, count: run.entries().length };
  }

  it.each(Object.entries(outcomeOf))(
    'has the outcome of the other write and writes nothing: %s',
    async (name, outcome) => {
      const race = await losingTo([name as Other]);
      expect(race.outcome).toBe(outcome);
      expect(race.after).toEqual(race.before);
      expect(race.count).toBe(1);
      expect(race.entry.outcome).toBe(outcome);
      expect(race.entry.call_id).toBe(outcome === 'call queued' ? CALL : undefined);
    },
  );

  it('has the outcome of the first of call, lead, phone and credit if several writes won', async () => {
    const names = ['call', 'lead', 'phone', 'credit'] as const;
    await fc.assert(
      fc.asyncProperty(fc.subarray([...names], { minLength: 1 }), async (some) => {
        const race = await losingTo(some);
        expect(race.outcome).toBe(outcomeOf[some[0] as Other]);
        expect(race.after).toEqual(race.before);
      }),
    );
    expect((await losingTo(names)).outcome).toBe('call queued');
    expect((await losingTo(['lead', 'phone', 'credit'])).outcome).toBe('already_called_race');
    expect((await losingTo(['phone', 'credit'])).outcome).toBe('phone_already_called');
  });

  it('for credit states both amounts, and can be retried', async () => {
    const { entry } = await losingTo(['credit']);
    expect(entry.reason).toBe('The call may cost 10 credits, and 2.5 are available.');
    expect(JSON.parse(entry.retryable ?? '')).toEqual(aCrmAEvent());
  });

  it('for a claim cannot be retried', async () => {
    for (const name of ['lead', 'phone'] as const)
      expect((await losingTo([name])).entry).not.toHaveProperty('retryable');
  });
});

describe('a transaction that meets conflicts', () => {
  const conflict = (...codes: string[]) =>
    new TransactionCanceledException({
      $metadata: {},
      message: 'canceled',
      CancellationReasons: codes.map((Code) => ({ Code })),
    });

  it('fails without an entry if the conflicts persist, and the next delivery places the call', async () => {
    const { process, hooks, entries, all } = crmALeads();
    hooks.before = (operation) => {
      if (operation === 'TransactWrite') throw conflict('None', 'None', 'None', 'TransactionConflict', 'None');
    };
    await expect(process()).rejects.toBeInstanceOf(TransactionContention);
    expect(entries()).toEqual([]);
    expect(all('calls')).toEqual([]);
    hooks.before = undefined;
    expect(await process()).toBe('call queued');
  });

  it('is tried again until it is committed', async () => {
    const { process, hooks, requests, credit } = crmALeads();
    let conflicts = 3;
    hooks.before = (operation) => {
      if (operation === 'TransactWrite' && conflicts-- > 0)
        throw conflict('None', 'None', 'None', 'TransactionConflict');
    };
    expect(await process()).toBe('call queued');
    expect(requests.filter((request) => request === 'TransactWrite')).toHaveLength(4);
    expect(credit()).toEqual({ available: 90_000, held: HOLD });
  });

  it.each([
    ['call queued', ['ConditionalCheckFailed', 'None', 'None', 'TransactionConflict']],
    ['already_called_race', ['None', 'ConditionalCheckFailed', 'None', 'TransactionConflict']],
    ['phone_already_called', ['None', 'None', 'ConditionalCheckFailed', 'TransactionConflict']],
  ])('on the credit is decided at once by another event’s claim or call: %s', async (outcome, codes) => {
    const { process, hooks, requests } = crmALeads();
    hooks.before = (operation) => {
      if (operation === 'TransactWrite') throw conflict(...codes);
    };
    expect(await process()).toBe(outcome);
    expect(requests.filter((request) => request === 'TransactWrite')).toHaveLength(1);
  });

  it('is tried again if the credit is too low during other writes to it', async () => {
    const { process, hooks } = crmALeads();
    let tries = 0;
    hooks.before = (operation) => {
      if (operation === 'TransactWrite' && ++tries === 1)
        throw conflict('None', 'TransactionConflict', 'None', 'ConditionalCheckFailed');
    };
    expect(await process()).toBe('call queued');
  });

  it('fails without an entry at any other failure of a read or a write', async () => {
    for (const failing of ['Get', 'BatchGet', 'TransactWrite', 'Put']) {
      const { process, hooks, entries } = crmALeads();
      hooks.before = (operation) => {
        if (operation === failing) throw timeOut();
      };
      await expect(process()).rejects.toThrow('timed out');
      expect(entries()).toEqual([]);
    }
  });
});

describe('many events at once', () => {
  const phones = ['98765 43210', '09812345678'];
  const events = fc.uniqueArray(
    fc.record({
      id: fc.constantFrom('evt_1', 'evt_2', 'evt_3', 'evt_4', 'evt_5'),
      lead: fc.constantFrom('lead-1', 'lead-2', 'lead-3'),
      phone: fc.constantFrom(...phones),
      times: fc.integer({ min: 1, max: 2 }),
    }),
    { selector: ({ id }) => id, minLength: 2, maxLength: 5 },
  );

  it('call each lead and each phone once, spend no credit twice, and leave one entry each, in any order of database answers', async () => {
    await fc.assert(
      fc.asyncProperty(events, fc.integer({ min: 0, max: 6 }), fc.scheduler(), async (all, affordable, scheduler) => {
        const available = affordable * HOLD;
        const run = crmALeads({ organizations: [anOrg({ available })] }, (send) => scheduler.scheduleFunction(send));
        const deliveries = all.flatMap(({ id, lead, phone, times }) =>
          Array.from({ length: times }, () => aCrmAEvent({ event_id: id }, { lead_id: lead, phones: [phone] })),
        );
        await scheduler.waitFor(Promise.all(deliveries.map((event) => run.process(event))));

        const calls = run.all('calls') as { call_id: string; phone_number: string; lead: { lead_id: string } }[];
        expect(new Set(calls.map(({ lead }) => lead.lead_id)).size).toBe(calls.length);
        expect(new Set(calls.map(({ phone_number }) => phone_number)).size).toBe(calls.length);
        expect(calls.length).toBeLessThanOrEqual(affordable);
        if (affordable > 0) expect(calls.length).toBeGreaterThan(0);
        expect(run.credit()).toEqual({ available: available - calls.length * HOLD, held: calls.length * HOLD });
        expect(run.all('credit-ledger')).toHaveLength(calls.length);
        expect(run.all('claims')).toHaveLength(2 * calls.length);

        const entries = run.entries();
        expect(entries.map(({ event_id }) => event_id).sort()).toEqual(all.map(({ id }) => id).sort());
        const queued = entries.filter(({ outcome }) => outcome === 'call queued');
        const [told, made] = [queued, calls].map((some) => some.map(({ call_id }) => call_id).sort());
        expect(told).toEqual(made);
        for (const { event_id, call_id } of queued) expect(call_id).toBe(callIdForLead(CONNECTION, event_id));
      }),
      { numRuns: 150 },
    );
  });

  it('do not mistake their own hold for a lack of credit if the first delivery overtakes a repeat', async () => {
    const committed = Promise.withResolvers<void>();
    const repeated = Promise.withResolvers<void>();
    let orgReads = 0;
    const wrap =
      (send: Send): Send =>
      async (command: never) => {
        const { name } = (command as object).constructor;
        const { TableName } = (command as { input: { TableName?: string } }).input;
        const isOrg = name === 'GetCommand' && TableName === 'organizations';
        if (isOrg && ++orgReads === 2) await committed.promise;
        const answer = await send(command);
        if (name === 'TransactWriteCommand') {
          committed.resolve();
          await repeated.promise;
        }
        return answer;
      };
    const { process, entries, all } = crmALeads({ organizations: [anOrg({ available: HOLD })] }, wrap);
    const first = process();
    const repeat = process().finally(repeated.resolve);
    const outcomes = await Promise.all([first, repeat]);
    expect(all('calls')).toHaveLength(1);
    expect(outcomes).toEqual(['call queued', 'call queued']);
    expect(entries()).toMatchObject([{ outcome: 'call queued', call_id: CALL }]);
  });

  it('have call ids that a call placed by REST cannot have', () => {
    expect(CALL).not.toBe(callIdFor(ORG, 'evt_1'));
  });
});
