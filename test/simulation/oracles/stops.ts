import type { TableName } from '../../../lib/tables.ts';
import type { Call } from '../../../shared/domain/calls/call.ts';
import type { ActivityEntry, Outcome } from '../../../shared/domain/connections/activity.ts';
import { type Connection, whyOff } from '../../../shared/domain/connections/connection.ts';
import type { Item } from '../../unit/support/worlds/expression.ts';
import type { CrmLeads } from '../crm-leads.ts';
import type { Fail } from './violation.ts';

/** The outcomes of a lead whose do-not-call flag is set, with or without a phone, or whose owner has changed. */
const STOPS: readonly Outcome[] = ['do_not_call', 'owner_mismatch', 'no_dialable_phone'];
/** How long a dial may be under way: it may have read the connection or the do-not-call list before their change. */
const DIAL_MS = 2 * 60_000;
/**
 * How long a queued call may ring after its number was listed: recover-calls reads the list for it every 5 minutes, but
 * not in the platform's outages of 6 minutes.
 */
const LISTED_MS = 20 * 60_000;

/**
 * Checks, at each ring, that the number is not on the do-not-call list and, for a lead's call, that no later event has
 * said that the lead must not be called, and that its connection is on (docs/leads.md, "Before the phone rings").
 * @param now milliseconds @param queuedMs how long after such a change a call that the platform has queued may ring
 */
export function stopsOracle(
  fail: Fail,
  now: () => number,
  { queuedMs, crmLeads }: { queuedMs: number; crmLeads: CrmLeads },
) {
  /** When the decision against a lead was recorded. */
  const stopped = new Map<string, number>();
  /** When a connection was switched off; absent while it is on. */
  const off = new Map<string, number>();
  /** When a number was put on the list of its organization. */
  const listed = new Map<string, number>();

  const onConnection = (after: Connection): void => {
    const { connection_id: id } = after;
    if (whyOff(after) === undefined) off.delete(id);
    else if (!off.has(id)) off.set(id, now());
  };
  const onEntry = ({ connection_id, lead_id = '', outcome }: ActivityEntry): void => {
    const key = `${connection_id} ${lead_id}`;
    if (!crmLeads.isStopped(connection_id, lead_id)) stopped.delete(key);
    else if (STOPS.includes(outcome) && !stopped.has(key)) stopped.set(key, now());
  };

  const isListed = ({ org_id, phone_number }: Call) => listed.has(`${org_id} ${phone_number}`);

  return {
    isListed,
    onChange(table: TableName, after: Item | undefined): void {
      if (!after) return;
      if (table === 'connections') onConnection(after as Connection);
      if (table === 'activity') onEntry(after as unknown as ActivityEntry);
      if (table === 'do-not-call') listed.set(`${after.org_id} ${after.phone}`, now());
    },
    /** @param claimedMs milliseconds of its dial claim */
    onRing({ call_id: id, org_id, phone_number, lead }: Call, claimedMs: number): void {
      const check = (since: number | undefined, dialMs: number, text: string, ringMs = queuedMs) => {
        if (since === undefined) return;
        if (claimedMs > since + dialMs) fail('rang when it must not', `${id} was dialed after ${text}`, [id]);
        if (now() > since + ringMs) fail('rang when it must not', `${id} rings long after ${text}`, [id]);
      };
      check(listed.get(`${org_id} ${phone_number}`), DIAL_MS, 'its number was listed', LISTED_MS);
      if (!lead) return;
      const { connection_id, lead_id } = lead;
      const since = crmLeads.isStopped(connection_id, lead_id) ? stopped.get(`${connection_id} ${lead_id}`) : undefined;
      check(since, 0, 'its lead must not be called');
      check(off.get(connection_id), DIAL_MS, 'its connection was switched off');
    },
  };
}
