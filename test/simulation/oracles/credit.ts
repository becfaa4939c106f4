import { isDeepStrictEqual } from 'node:util';
import type { TableName } from '../../../lib/tables.ts';
import type { Call } from '../../../shared/domain/calls/call.ts';
import { isTerminal, terminalStatuses } from '../../../shared/domain/calls/call-status.ts';
import { analysisCounters, type Usage } from '../../../shared/domain/calls/usage/usage.ts';
import type { LedgerEntry } from '../../../shared/domain/organizations/ledger-entry.ts';
import type { Organization } from '../../../shared/domain/organizations/organization.ts';
import type { Item } from '../../unit/support/worlds/expression.ts';
import type { Fail } from './violation.ts';

type Account = {
  balance: number;
  held: number;
  /** Units of holds without an entry, by the organization and by its calls. */
  unentered: number;
  callsUnentered: number;
  entries: number;
  entriesHeld: number;
  topUps: number;
  costs: number;
  callsHeld: number;
  /** Ends, charged units and first analyses, by the calls and by the counters of usage. */
  used: Used;
  counted: Used;
};

type Used = { ends: number; units: number; analyses: number };

const countedIn = (usage: Partial<Usage>): Used => {
  const sum = (names: readonly (keyof Usage)[]) => names.reduce((total, name) => total + (usage[name] ?? 0), 0);
  return { ends: sum(terminalStatuses), units: usage.units ?? 0, analyses: sum(analysisCounters) };
};

const add = (to: Used, { ends, units, analyses }: Used, sign: 1 | -1): void => {
  to.ends += sign * ends;
  to.units += sign * units;
  to.analyses += sign * analyses;
};

/**
 * Checks, after every write, that the ledger sums to each organization's balance and holds, that these equal the holds
 * of its open calls and its top-ups without the costs of its ended calls, that the counters of usage equal its ends,
 * costs and first analyses, and that the slot counters equal the calls that hold slots.
 * @param limitOf the most live calls of a scope
 */
export function booksOracle(fail: Fail, limitOf: (scope: string) => number) {
  const accounts = new Map<string, Account>();
  const lines = new Map<string, { live: number; holders: number; checked: number }>();
  const touchedOrgs = new Set<string>();
  const touchedScopes = new Set<string>();

  const accountOf = (orgId: string): Account => {
    touchedOrgs.add(orgId);
    const account = accounts.get(orgId) ?? {
      balance: 0,
      held: 0,
      unentered: 0,
      callsUnentered: 0,
      entries: 0,
      entriesHeld: 0,
      topUps: 0,
      costs: 0,
      callsHeld: 0,
      used: countedIn({}),
      counted: countedIn({}),
    };
    accounts.set(orgId, account);
    return account;
  };
  const scopeOf = (scope: string) => {
    touchedScopes.add(scope);
    const line = lines.get(scope) ?? { live: 0, holders: 0, checked: 0 };
    lines.set(scope, line);
    return line;
  };

  const addCall = (call: Call | undefined, sign: 1 | -1): void => {
    if (!call) return;
    const account = accountOf(call.org_id);
    const { status, cost = 0, analyzed_at } = call;
    if (call.hold_unentered) account.callsUnentered += sign * call.held;
    if (isTerminal(status)) {
      account.costs += sign * cost;
      add(account.used, { ends: 1, units: cost, analyses: analyzed_at ? 1 : 0 }, sign);
    } else account.callsHeld += sign * call.held;
    for (const scope of call.slots ?? []) scopeOf(scope).holders += sign;
  };
  const addEntry = ({ org_id, kind, amount, held }: LedgerEntry): void => {
    const account = accountOf(org_id);
    account.entries += amount;
    account.entriesHeld += held;
    if (kind === 'top_up') account.topUps += amount;
  };

  return {
    onChange(table: TableName, before: Item | undefined, after: Item | undefined): void {
      if (table === 'calls') {
        addCall(before as Call | undefined, -1);
        addCall(after as Call | undefined, 1);
      } else if (table === 'organizations') {
        const { org_id, available, held, holds_unentered: unentered = 0 } = after as Organization;
        Object.assign(accountOf(org_id), { balance: available + held, held, unentered });
        if (available < 0 || held < 0 || unentered < 0)
          fail('credit', `${org_id} has ${available} available, ${held} held and ${unentered} not entered`, [org_id]);
      } else if (table === 'credit-ledger') {
        // The references of top-ups are not entries of the ledger.
        if (!after?.kind) return;
        if (before) fail('credit', `the ledger entry ${before.entry} was written twice`, [String(before.call_id)]);
        else addEntry(after as LedgerEntry);
      } else if (table === 'usage') {
        const { counted } = accountOf(String(after?.org_id));
        add(counted, countedIn(before ?? {}), -1);
        add(counted, countedIn(after ?? {}), 1);
      } else if (table === 'slots' && after) {
        const { scope, live = 0 } = after as { scope: string; live?: number };
        scopeOf(scope).live = live;
      }
    },

    check(): void {
      for (const orgId of touchedOrgs) {
        const account = accountOf(orgId);
        const { balance, held, unentered, entries, entriesHeld, topUps, costs, callsHeld, used, counted } = account;
        if (balance !== entries || held !== entriesHeld + unentered)
          fail(
            'credit',
            `${orgId}: balance ${balance}, held ${held}; its ledger sums to ${entries} and ${entriesHeld}, without ${unentered}`,
            [orgId],
          );
        if (unentered !== account.callsUnentered)
          fail('credit', `${orgId}: ${unentered} not entered; its calls have ${account.callsUnentered}`, [orgId]);
        if (held !== callsHeld) fail('credit', `${orgId}: held ${held}; its open calls hold ${callsHeld}`, [orgId]);
        if (topUps - costs !== balance)
          fail('credit', `${orgId}: ${topUps} topped up, ${costs} charged, balance ${balance}`, [orgId]);
        if (!isDeepStrictEqual(used, counted))
          fail('usage', `${orgId}: ${JSON.stringify(counted)} counted, ${JSON.stringify(used)} by its calls`, [orgId]);
      }
      for (const scope of touchedScopes) {
        const line = scopeOf(scope);
        const { live, holders, checked } = line;
        if (live !== holders) fail('lines', `${scope}: ${live} live by its counter, ${holders} by its calls`, [scope]);
        // Live calls continue when an operator lowers a limit.
        if (live > limitOf(scope) && live > checked)
          fail('lines', `${scope}: ${live} live, limit ${limitOf(scope)}`, [scope]);
        line.checked = live;
      }
      touchedOrgs.clear();
      touchedScopes.clear();
    },

    /** Checks, at the end of a run, that no credit is held and no slot is in use. */
    checkEmpty(): void {
      for (const [orgId, { held }] of accounts) if (held !== 0) fail('credit', `${orgId} still holds ${held}`, [orgId]);
      for (const [scope, { live }] of lines)
        if (live !== 0) fail('lines', `${scope} still has ${live} live calls`, [scope]);
    },
  };
}
