import type { Shown } from '../../../../shared/domain/newer-values.ts';
import { toCredits } from '../../../../shared/domain/organizations/credit.ts';
import type { LedgerEntry } from '../../../../shared/domain/organizations/ledger-entry.ts';
import type { Organization } from '../../../../shared/domain/organizations/organization.ts';
import { newestCreditEntries } from '../../../../shared/operations/calls/list-credit-entries.ts';
import { addCredit } from '../../../../shared/operations/organizations/add-credit.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { findOrg, orgNotFound } from '../../cloud/records.ts';
import { Refusal } from '../../failures.ts';
import { table } from '../../output.ts';
import { credits, invalid, text, wholeNumber } from '../../values.ts';
import { type Answer, type OfOrg, optional, orgOption, required, verb } from '../../verb.ts';
import { showOrg } from './view.ts';

const MAX_ENTRIES = 10_000;
const ENTRIES_FOR_PEOPLE = 50;

type Addition = { org_id: string; amount: number; reason?: string; reference?: string };
type CreditFlags = { amount: string; reason?: string; reference?: string };

export const creditVerbs = [
  verb<OfOrg & CreditFlags>({
    usage: 'credit',
    summary: 'Adds credit, or takes it back',
    options: [
      orgOption,
      required('--amount <credits>', 'credits to add; a negative number takes back available credit'),
      optional('--reason <text>', 'reason for the ledger'),
      optional('--reference <text>', 'name of the payment, such as an invoice number; a repeat of it adds nothing'),
    ],
    act: credit,
  }),
  verb<OfOrg & { limit?: string }>({
    usage: 'ledger',
    summary: 'Lists all movements of credit, newest first',
    options: [
      orgOption,
      optional(
        '--limit <n>',
        `entries, at most ${MAX_ENTRIES} (default: all with --json, ${ENTRIES_FOR_PEOPLE} in a table)`,
      ),
    ],
    act: ledger,
  }),
];

async function credit(cloud: Cloud, { org, amount, reason, reference }: OfOrg & CreditFlags): Promise<Answer> {
  const units = credits('--amount', amount, { mayBeNegative: true });
  if (units === 0) throw invalid('--amount must not be 0.');
  await findOrg(cloud, org);
  const isRepeated = await move(cloud, {
    org_id: org,
    amount: units,
    ...(reason !== undefined && { reason: text('--reason', reason) }),
    ...(reference !== undefined && { reference: text('--reference', reference) }),
  });
  if (isRepeated) return showOrg(await findOrg(cloud, org), 'This reference was booked before; nothing changed.');
  return showOrg(await findOrg(cloud, org), units > 0 ? 'The credit was added.' : 'The credit was taken back.');
}

/**
 * Sets the balance by a ledger entry of the difference: credit is never overwritten. Calls that end at the same moment
 * reduce the new balance.
 */
export async function setBalance(cloud: Cloud, org: Organization, balance: number): Promise<void> {
  const amount = balance - org.available - org.held;
  if (amount !== 0) await move(cloud, { org_id: org.org_id, amount, reason: 'balance set by operator' });
}

/**
 * @returns whether the reference was already booked with the same amount
 * @throws Refusal reference_used if it was booked with another amount
 */
async function move(cloud: Cloud, addition: Addition): Promise<boolean> {
  const result = await addCredit(cloud, await cloud.operator(), addition);
  if (result.kind === 'org_not_found') throw orgNotFound(addition.org_id);
  if (result.kind === 'insufficient_credits') {
    const available = toCredits(result.available);
    throw new Refusal('insufficient_credits', `Only ${available} credits are available; calls may hold the rest.`, {
      available,
    });
  }
  if (result.kind !== 'repeated') {
    // Calls may wait for this credit.
    if (addition.amount > 0) await cloud.handOverSlots({ org_id: addition.org_id, freed_credit: true });
    return false;
  }
  if (result.amount === addition.amount) return true;
  const booked = toCredits(result.amount);
  throw new Refusal('reference_used', `This reference was booked before, with ${booked} credits.`, { amount: booked });
}

const viewEntry = (entry: Shown<LedgerEntry>) => ({
  entry: entry.entry,
  kind: entry.kind,
  amount: toCredits(entry.amount),
  held: toCredits(entry.held),
  call_id: entry.call_id ?? null,
  key: entry.key ?? null,
  reason: entry.reason ?? null,
  at: entry.at,
});

async function ledger(cloud: Cloud, flags: OfOrg & { limit?: string; json?: boolean }): Promise<Answer> {
  const usual = flags.json ? MAX_ENTRIES : ENTRIES_FOR_PEOPLE;
  const limit =
    flags.limit === undefined ? usual : wholeNumber('--limit', flags.limit, { least: 1, most: MAX_ENTRIES });
  await findOrg(cloud, flags.org);
  const entries = (await newestCreditEntries(cloud, flags.org, limit)).map(viewEntry);
  const rows = entries.map(({ at, kind, amount, held, call_id, reason, key }) => [
    at,
    kind,
    amount,
    held,
    call_id ?? reason,
    key?.name,
    key?.address,
    key?.forwarded_for,
  ]);
  const header = ['at', 'kind', 'amount', 'held', 'call or reason', 'API key', 'address', 'forwarded for'];
  return { json: { entries }, people: table(header, rows, 'No credit has moved yet.') };
}
