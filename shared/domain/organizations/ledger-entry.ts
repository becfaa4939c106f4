import * as z from 'zod/mini';
import type { Shown } from '../newer-values.ts';
import { toCredits } from './credit.ts';
import { keyOf, type Requester, usedKeySchema, viewUsedKey } from './requester.ts';

/**
 * An entry of an organization's ledger, in units. The columns `amount` and `held` always sum to its balance and its
 * held credit, together with the holds that the ends of calls will add (`unenteredHold`): top-up (+n, 0), hold (0, +n),
 * settlement (-cost, -n), release (0, -n).
 */
export const ledgerEntrySchema = z.object({
  org_id: z.string(),
  /** `<at>#<call id or reason>#<kind>#<number of the hold>`, which sorts by time. */
  entry: z.string(),
  kind: z.enum(['top_up', 'hold', 'settlement', 'release']),
  amount: z.number(),
  held: z.number(),
  call_id: z.optional(z.string()),
  /**
   * The API key that placed the call, with the addresses of its client. Entries are kept forever, so they name no
   * person (docs/tracing.md, "Addresses").
   */
  key: z.optional(usedKeySchema),
  reason: z.optional(z.string()),
  at: z.string(),
});

export type LedgerEntry = z.infer<typeof ledgerEntrySchema>;

/** The note that an entry was added under an operator's reference. */
export const creditReferenceSchema = z.object({
  /** The key of the entry. */
  of: z.string(),
  amount: z.number(),
});

/** The call of an entry. `holds`: the number of its holds so far; absent for a call by REST, which has one. */
type OfCall = {
  org_id: string;
  call_id: string;
  holds?: number | undefined;
  placed_by?: Shown<Requester> | undefined;
};

/**
 * Makes the entry of a hold.
 * @param amount units. @param at the same instant for a retry, so that it writes the same entry.
 */
export const holdEntry = (call: OfCall, amount: number, at: string): LedgerEntry =>
  entryOf(call, { kind: 'hold', amount: 0, held: amount, at });

type Holding = OfCall & { hold_unentered?: boolean | undefined; held: number; created_at: string };

/** Makes the entry of a hold that the ledger gets at the end of its call; undefined for any other call. */
export const unenteredHold = (call: Holding): LedgerEntry | undefined =>
  call.hold_unentered ? holdEntry(call, call.held, call.created_at) : undefined;

/** Makes one entry for all unentered holds whose calls are not listed. @param held units. */
export const unlistedHolds = (org_id: string, held: number, at: string): LedgerEntry => ({
  org_id,
  entry: `${at}#open calls#hold#1`,
  kind: 'hold',
  amount: 0,
  held,
  reason: 'calls that have not ended',
  at,
});

/**
 * Returns the entries of a call with the hold that the ledger does not have yet.
 * @param entries of this call, oldest first. They are read after the call, which may have ended in between
 */
export function withUnenteredHold<Entry extends { entry: string }>(
  call: Holding,
  entries: readonly Entry[],
): (Entry | LedgerEntry)[] {
  const hold = unenteredHold(call);
  // Only the placing holds credit in this way, so the hold is the oldest entry.
  return hold && entries.every(({ entry }) => entry !== hold.entry) ? [hold, ...entries] : [...entries];
}

/** Makes the entry that ends a hold with the cost of the call. In units. */
export const settlementEntry = (call: OfCall, hold: { held: number; cost: number }, at: string): LedgerEntry =>
  entryOf(call, { kind: 'settlement', amount: -hold.cost, held: -hold.held, at });

/** Makes the entry that ends a hold without a cost. @param held units. */
export const releaseEntry = (call: OfCall, held: number, at: string): LedgerEntry =>
  entryOf(call, { kind: 'release', amount: 0, held: -held, at });

/** Makes the entry of a top-up. @param id makes it unique. @param amount units; negative takes credit back. */
export const topUpEntry = (org_id: string, id: string, amount: number, at: string, reason?: string): LedgerEntry => ({
  org_id,
  entry: `${at}#${id}#top_up#1`,
  kind: 'top_up',
  amount,
  held: 0,
  ...(reason && { reason }),
  at,
});

type OfEntry = { phone_number: string; duration?: number | undefined };

/** Returns an entry as the dashboard's API shows it, in credits. */
export const viewLedgerEntry = ({ entry, at, kind, amount, held, call_id, key, reason }: Shown<LedgerEntry>) => ({
  entry,
  at,
  kind,
  amount: toCredits(amount),
  held: toCredits(held),
  call_id: call_id ?? null,
  key: key ? viewUsedKey(key) : null,
  reason: reason ?? null,
});

/** Returns an entry for the ledger's list: with its call's number and length in seconds, if the call is still kept. */
export const viewListedEntry = ({ entry, call }: { entry: Shown<LedgerEntry>; call: OfEntry | undefined }) => ({
  ...viewLedgerEntry(entry),
  call: call ? { phone_number: call.phone_number, duration: call.duration ?? null } : null,
});

type Movement = Pick<LedgerEntry, 'kind' | 'amount' | 'held' | 'at'>;

function entryOf({ org_id, call_id, holds = 1, placed_by }: OfCall, movement: Movement): LedgerEntry {
  const key = keyOf(placed_by);
  const entry = `${movement.at}#${call_id}#${movement.kind}#${holds}`;
  return { org_id, call_id, ...(key && { key }), ...movement, entry };
}
