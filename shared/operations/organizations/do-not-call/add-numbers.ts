import { type Actor, actorName } from '../../../domain/organizations/audit/audit-entry.ts';
import { toE164 } from '../../../domain/text/national-number.ts';
import { maskPhone } from '../../../domain/text/phone-number.ts';
import type { DoNotCallEntry, DoNotCallStore } from '../../../stores/organizations/do-not-call.ts';
import { type AuditedChangeDeps, audited } from '../steps/audited-change.ts';

export type AddNumbersDeps = AuditedChangeDeps & {
  doNotCall: Pick<DoNotCallStore, 'getMany' | 'adding'>;
};

/** DynamoDB allows 100 writes in a transaction; the audit entry takes two. */
const MAX_OF_A_TRANSACTION = 98;
const NAMED_NUMBERS = 20;

/**
 * Puts numbers on an organization's do-not-call list. Numbers already on it stay unchanged, with the call that put them
 * there, so that a repeat after a failure adds only the missing ones.
 *
 * The audit entry counts all new numbers. If they need several transactions, it is in the first one: a crash in between
 * leaves an entry that counts too many, but never an addition without an entry.
 * @param phones distinct, in E.164.
 */
export async function addNumbers(
  deps: AddNumbersDeps,
  actor: Actor,
  { org_id, phones }: { org_id: string; phones: readonly string[] },
): Promise<{ added: number; listed: DoNotCallEntry[] }> {
  const listed = await deps.doNotCall.getMany(org_id, phones);
  const known = new Set(listed.map(({ phone }) => phone));
  const missing = phones.filter((phone) => !known.has(phone));
  const at = deps.now();
  const added_by = actorName(actor);
  const entryOf = (numbers: readonly string[]) =>
    audited(
      deps,
      {
        org_id,
        actor,
        action: 'do_not_call.added',
        thing: { id: 'do-not-call', name: 'do-not-call list' },
        after: { count: numbers.length, numbers: numbers.slice(0, NAMED_NUMBERS).map(maskPhone) },
      },
      at,
    );
  let added = 0;
  for (let start = 0; start < missing.length; ) {
    const batch = missing.slice(start, start + MAX_OF_A_TRANSACTION);
    const writes = Object.fromEntries(
      batch.map((phone) => [phone, deps.doNotCall.adding({ org_id, phone, added_at: at.toISOString(), added_by })]),
    );
    const result = await deps.transact<string>({ ...writes, audit: added === 0 ? entryOf(missing) : undefined });
    if (result.committed) {
      added += batch.length;
      start += batch.length;
      continue;
    }
    // Another person or an analysis has just added some of them.
    const others = batch.filter((phone) => phone in result.refused);
    if (others.length === 0) throw new Error('the audit entry already exists');
    for (const phone of others) missing.splice(missing.indexOf(phone), 1);
    listed.push(...(await deps.doNotCall.getMany(org_id, others)));
  }
  return { added, listed };
}

type ReadNumbers = {
  /** Distinct, in E.164. */
  phones: string[];
  /** The number of repetitions. */
  duplicates: number;
  /** Positions of texts that are not phone numbers, from 0. */
  wrong: number[];
  /** The number in each text, by position; undefined if it is not a phone number. */
  numbers: (string | undefined)[];
};

/** Reads numbers as people typed them. @param region the country of numbers without a country code. */
export function readNumbers(typed: readonly string[], region: string): ReadNumbers {
  const numbers = typed.map((text) => toE164(text.trim(), region));
  const right = numbers.filter((number) => number !== undefined);
  const phones = [...new Set(right)];
  const wrong = numbers.flatMap((number, position) => (number === undefined ? [position] : []));
  return { phones, duplicates: right.length - phones.length, wrong, numbers };
}
