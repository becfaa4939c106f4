import type { Call } from '../../../domain/calls/call.ts';
import { phoneHash } from '../../../domain/connections/phone-hash.ts';
import { canonicalE164 } from '../../../domain/text/national-number.ts';
import type { CallErasures, Erasable } from '../../../stores/calls/call-erasures.ts';
import type { CallSearch } from '../../../stores/calls/call-search.ts';
import type { ActivityStore, EntryKey, ShownEntry } from '../../../stores/connections/activity.ts';

/** `get`: reads a call to erase it, or to show it. */
type ReadCallsDeps<Read> = {
  search: Pick<CallSearch, 'pageOfPhone' | 'notByPhone'>;
  erasures: { get: (callId: string) => Promise<Erasable<Read> | undefined> };
};

/** `entriesOf`: reads entries with their stored events, or without them. */
type ReadActivityDeps<Entry> = {
  activity: Pick<ActivityStore, 'ofPhone' | 'ofLead'> & {
    entriesOf: (keys: readonly EntryKey[]) => Promise<Entry[]>;
  };
};

export type FindPersonDeps = {
  search: Pick<CallSearch, 'pageOfPhone' | 'notByPhone'>;
  erasures: Pick<CallErasures, 'get'>;
  activity: Pick<ActivityStore, 'ofPhone' | 'ofLead' | 'entriesOf'>;
};

/** A person: an organization's phone number, in E.164. */
export type Person = { org_id: string; phone: string };

/** A lead in the CRM of a connection. */
export type Lead = { connection_id: string; lead_id: string };

/** A call, which may belong to a lead. */
type OfLead = { lead?: Lead | undefined };

const PAGE = 100;
const MAX_ENTRIES = 1_000;

/** `erased`: the ids of calls that the index still lists under the number, although only their tombstones are left. */
export type CallsOfPerson<Read = Call> = { calls: Erasable<Read>[]; erased: string[] };

/**
 * Reads all calls of a person, including calls that are older than the index by number: former versions may have stored
 * the number in another spelling.
 */
export async function allCallsOfPerson<Read extends Pick<Call, 'phone_number'>>(
  deps: ReadCallsDeps<Read>,
  of: Person,
): Promise<CallsOfPerson<Read>> {
  const found = await callsOfPerson(deps, of);
  for await (const { call_id, phone_number } of deps.search.notByPhone(of.org_id)) {
    if (canonicalE164(phone_number) === of.phone) add(found, await deps.erasures.get(call_id));
  }
  return found;
}

/** Reads the calls of a person, in pages of the index by number. */
export async function callsOfPerson<Read extends Pick<Call, 'phone_number'>>(
  deps: ReadCallsDeps<Read>,
  { org_id, phone }: Person,
): Promise<CallsOfPerson<Read>> {
  const found: CallsOfPerson<Read> = { calls: [], erased: [] };
  let before: { call_id: string; created_at: string } | undefined;
  do {
    const page = await deps.search.pageOfPhone(org_id, phone, { limit: PAGE, before });
    for (const { call_id } of page.items) {
      const read = await deps.erasures.get(call_id);
      if (!read?.call || canonicalE164(read.call.phone_number) === phone) add(found, read);
    }
    before = page.last;
  } while (before);
  return found;
}

function add<Read>({ calls, erased }: CallsOfPerson<Read>, read: Erasable<Read> | undefined): void {
  if (read?.call) calls.push(read);
  else if (read?.tombstone) erased.push(read.tombstone.call_id);
}

/**
 * Finds the newest Activity entries about a person: by the number, and by the leads of the person's calls and of these
 * entries, whose other events may lack a number.
 * @param stored the entries whose stored events have the number (find-stored-events.ts)
 * @returns the entries of `stored`, and for the number and for each lead up to a thousand, or more if `deps` reads more
 */
export async function activityOfPerson<Entry extends ShownEntry>(
  deps: ReadActivityDeps<Entry>,
  { org_id, phone }: Person,
  calls: readonly Erasable<OfLead>[],
  stored: readonly EntryKey[],
): Promise<Entry[]> {
  const { keys } = await deps.activity.ofPhone(phoneHash(org_id, phone), MAX_ENTRIES);
  const entries = await deps.activity.entriesOf([...keys, ...stored]);
  const found = new Map<string, Entry>();
  const add = (more: readonly Entry[]) => {
    for (const entry of more) found.set(keyOf(entry), entry);
  };
  add(entries);
  for (const { connection_id, lead_id } of leadsOf(calls, entries))
    add(await deps.activity.entriesOf((await deps.activity.ofLead(connection_id, lead_id, MAX_ENTRIES)).keys));
  return [...found.values()];
}

/** Returns the distinct leads that calls and Activity entries name. */
export function leadsOf(
  calls: readonly Erasable<OfLead>[],
  entries: readonly Pick<ShownEntry, 'connection_id' | 'lead_id'>[],
): Lead[] {
  const leads = new Map<string, Lead>();
  for (const { connection_id, lead_id } of [...calls.flatMap(({ call }) => call?.lead ?? []), ...entries])
    if (lead_id) leads.set(`${connection_id}#${lead_id}`, { connection_id, lead_id });
  return [...leads.values()];
}

export const keyOf = ({ connection_id, event_id }: EntryKey): string => `${connection_id}#${event_id}`;
