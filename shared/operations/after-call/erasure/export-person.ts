import type { Callback } from '../../../domain/after-call/callbacks/callback.ts';
import { pseudonymOf } from '../../../domain/after-call/erasure/erasure-receipt.ts';
import type { Call } from '../../../domain/calls/call.ts';
import type { Claim } from '../../../domain/calls/dialing/claim.ts';
import { placedBySchema } from '../../../domain/calls/placed-by.ts';
import { withKeptFiles } from '../../../domain/calls/retention/kept-files.ts';
import { ledgerTimesOf } from '../../../domain/calls/usage/ledger-times.ts';
import type { Shown } from '../../../domain/newer-values.ts';
import type { Actor } from '../../../domain/organizations/audit/audit-entry.ts';
import { type LedgerEntry, withUnenteredHold } from '../../../domain/organizations/ledger-entry.ts';
import { keyOf, viewUsedKey } from '../../../domain/organizations/requester.ts';
import type { CallbackStore } from '../../../stores/after-call/callbacks.ts';
import type { CallErasures } from '../../../stores/calls/call-erasures.ts';
import type { ClaimStore } from '../../../stores/calls/claims.ts';
import type { CallFiles } from '../../../stores/calls/files/call-files.ts';
import type { ActivityStore, StoredEntry } from '../../../stores/connections/activity.ts';
import type { CreditLedger } from '../../../stores/organizations/credit-ledger.ts';
import type { DoNotCallEntry, DoNotCallStore } from '../../../stores/organizations/do-not-call.ts';
import { type AuditedChangeDeps, audited } from '../../organizations/steps/audited-change.ts';
import { activityOfPerson, allCallsOfPerson, type FindPersonDeps, leadsOf, type Person } from './find-person.ts';
import { type FindStoredEventsDeps, findStoredEvents } from './find-stored-events.ts';
import { claimsOfPerson } from './person-claims.ts';

export type ExportPersonDeps = Pick<FindPersonDeps, 'search'> &
  FindStoredEventsDeps &
  AuditedChangeDeps & {
    activity: Pick<ActivityStore, 'ofPhone' | 'ofLead' | 'wholeEntriesOf'>;
    claims: Pick<ClaimStore, 'held'>;
    ledger: Pick<CreditLedger, 'ofCall'>;
    erasures: Pick<CallErasures, 'getToShow'>;
    callbacks: Pick<CallbackStore, 'listToShow'>;
    doNotCall: Pick<DoNotCallStore, 'getMany'>;
    files: Pick<CallFiles, 'findText'>;
    /** The key that makes pseudonyms. */
    personKey: string;
    now: () => Date;
  };

/**
 * A stored call with its transcript, the transcript's lines with their times, the notifications to the client, and the
 * ledger entries; without the addresses of the client's server, which are not the person's data.
 */
type ExportedCall = Shown<Call> & {
  transcript: string | null;
  /** The content of the file, parsed if it is JSON. */
  lines: unknown;
  ledger: Shown<LedgerEntry>[];
  callbacks: Pick<Callback, 'type' | 'created_at' | 'body'>[];
};

export type ExportedPerson = Person & {
  calls: ExportedCall[];
  activity: ExportedEntry[];
  claims: Claim[];
  do_not_call: DoNotCallEntry | null;
  /** The keys of transcripts and lines that a call names and the bucket does not have. */
  missing: string[];
  not_included: readonly string[];
};

/** An entry of Activity with its stored event. */
type ExportedEntry = Omit<StoredEntry, 'retryable'> & { retryable?: unknown };

/** More than a number or a lead has in 90 days. */
const MAX_ENTRIES = 100_000;

/** The stored data that an export does not include, with the reasons. */
const NOT_INCLUDED = [
  'the audit log, because its entries describe what operators and members did, with a masked number and the reasons that members typed',
  'claims with keyed hashes, and claims on leads that no stored call or Activity names, because they cannot be found by the number',
  'backups, queues, streams and former versions of files, because they are copies that expire',
  `Activity beyond ${MAX_ENTRIES} entries of the number or of a lead, because one run reads no more`,
  "calls to other numbers in whose data the number occurs, such as a lead's second number, because only the called number leads to a call",
  "the addresses of clients' servers, because they are not the person's data",
  'the voice platform, CRM-B and the help desk, because they store their own data: the calls name its ids',
  'calls whose erasure was interrupted, because every reader hides them from its beginning: run the erasure again',
  'calls that retention has removed, of which those systems may still have data, because their ids cannot be found by the number',
];

/**
 * Reads the data of a person that the service stores, except recordings and the data of `NOT_INCLUDED`. Adds an audit
 * entry before it returns, and changes nothing else.
 */
export async function exportPerson(deps: ExportPersonDeps, actor: Actor, of: Person): Promise<ExportedPerson> {
  const { calls: found } = await allCallsOfPerson({ ...deps, erasures: { get: deps.erasures.getToShow } }, of);
  const calls: ExportedCall[] = [];
  const missing: string[] = [];
  const textOf = async (key: string | undefined): Promise<string | null> => {
    if (key === undefined) return null;
    const text = await deps.files.findText(key);
    if (text === undefined) missing.push(key);
    return text ?? null;
  };
  for (const { call: stored, tombstone } of found) {
    // Its erasure has begun, so its files may be gone.
    if (!stored || tombstone) continue;
    const call = withKeptFiles(stored, deps.now());
    const times = ledgerTimesOf(call);
    const [transcript, lines, callbacks, ledger] = await Promise.all([
      textOf(call.transcript_key),
      textOf(call.lines_key),
      deps.callbacks.listToShow(call.call_id),
      times ? deps.ledger.ofCall(of.org_id, call.call_id, times) : [],
    ]);
    calls.push({
      ...call,
      ...(call.placed_by && { placed_by: placerOf(call.placed_by) }),
      transcript,
      lines: lines === null ? null : parsed(lines),
      callbacks: callbacks.map(({ type, created_at, body }) => ({ type, created_at, body })),
      ledger: withUnenteredHold(call, ledger).map(({ key, ...entry }) => ({
        ...entry,
        ...(key && { key: viewUsedKey(key) }),
      })),
    });
  }
  const [listed] = await deps.doNotCall.getMany(of.org_id, [of.phone]);
  const { ofPhone, ofLead, wholeEntriesOf: entriesOf } = deps.activity;
  const activity = {
    ofPhone: (phone: string) => ofPhone(phone, MAX_ENTRIES),
    ofLead: (connectionId: string, leadId: string) => ofLead(connectionId, leadId, MAX_ENTRIES),
    entriesOf,
  };
  const entries = await activityOfPerson({ activity }, of, found, await findStoredEvents(deps, of));
  const person = {
    ...of,
    calls,
    activity: entries.map(exportedEntry),
    claims: await claimsOfPerson(deps, of, calls, leadsOf(found, entries)),
    do_not_call: listed ?? null,
    missing,
    not_included: NOT_INCLUDED,
  };
  await noteExport(deps, actor, person);
  return person;
}

const exportedEntry = ({ retryable, ...entry }: StoredEntry): ExportedEntry =>
  retryable === undefined ? entry : { ...entry, retryable: parsed(retryable) };

/** Parses JSON. Returns other text unchanged. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * Returns the source of a call without the client's addresses. If a newer version wrote its kind, returns only the name
 * of the kind.
 */
function placerOf(stored: NonNullable<Call['placed_by']>): NonNullable<Call['placed_by']> {
  const key = keyOf(stored);
  if (key) return { kind: 'key', ...viewUsedKey(key) };
  return placedBySchema.safeParse(stored).data ?? { kind: stored.kind };
}

/** Adds an audit entry with the person's pseudonym and with counts, but without data of the person. */
async function noteExport(deps: ExportPersonDeps, actor: Actor, { org_id, phone, calls, activity }: ExportedPerson) {
  const thing = { id: pseudonymOf(deps.personKey, org_id, phone), name: 'person' };
  const after = {
    calls: calls.length,
    recordings: calls.filter(({ recording }) => recording?.key).length,
    activity: activity.length,
  };
  const change = { org_id, actor, action: 'person.exported' as const, thing, after };
  await deps.transact({ audit: audited(deps, change) });
}
