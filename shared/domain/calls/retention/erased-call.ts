import * as z from 'zod/mini';
import type { Shown } from '../../newer-values.ts';
import { secondsAfter } from '../../time/instants.ts';
import type { Call } from '../call.ts';
import { isEndedWithoutReport } from '../ending.ts';

/** The systems into which the service writes records. CRM-A is not one: the service only receives its leads. */
export const recordSystems = ['crm-b', 'help-desk'] as const;

/** A record that the service wrote into a remote system for a call. */
export const remoteRecordSchema = z.object({
  system: z.enum(recordSystems),
  /** The call's mark of the write, such as `note`. */
  record: z.string(),
  id: z.string(),
  /** The help desk's organization that has it; absent if the call names none. */
  organization: z.optional(z.string()),
  /** When it was written. Absent in tombstones of former versions. */
  at: z.optional(z.string()),
});

/** The data of a call at the beginning of its erasure. Receipts list it; it contains no personal data. */
export const erasedThingsSchema = z.object({
  /** Transcripts and recordings in the bucket, with their former versions. */
  files: z.number(),
  /** Notifications of the client. */
  callbacks: z.number(),
  /** Entries of Activity. */
  activity: z.number(),
  /** Claims that name the phone number. */
  claims: z.number(),
  /** Calls that the voice platform has for it: one per attempt, and those of double dials. */
  platform_calls: z.number(),
  /** Records in remote systems. */
  remote_records: z.array(remoteRecordSchema),
  /**
   * Requests whose result the service never learned, so that they may have left data without a known id: marks of
   * writes, such as `note`, and `dial`. Absent if there are none.
   */
  unconfirmed: z.optional(z.array(z.string())),
});

export type RemoteRecord = z.infer<typeof remoteRecordSchema>;

/** The tombstone of an erased or removed call: its existence and its owner. Without `org_id`, no list shows it. */
export const tombstoneSchema = z.object({
  call_id: z.string(),
  erased_of: z.string(),
  /** The time from which readers no longer find the call and workers no longer change it. */
  erased_at: z.string(),
  found: erasedThingsSchema,
  /** When its last data was removed here; absent while the erasure is in progress. */
  erasure_done_at: z.optional(z.string()),
  /** Its ids at the voice platform, until the platform has deleted its data, too. */
  platform_ids: z.optional(z.array(z.string())),
  /** Further ids, which the platform has revealed since the erasure began. */
  late_platform_ids: z.optional(z.set(z.string())),
  /** Hashes of its ids whose data the platform has deleted: a late message may repeat an id. */
  erased_platform_hashes: z.optional(z.set(z.string())),
  /** When the platform last confirmed that it has deleted its data under all known ids. */
  platform_erased_at: z.optional(z.string()),
  /** The results for records in remote systems that the service was allowed to remove, by their marks. */
  record_outcomes: z.optional(z.record(z.string(), z.enum(['removed', 'absent']))),
  /** The time until which a worker that read the call earlier may still store data of it. */
  busy_until: z.optional(z.string()),
  /** When a person canceled the lead's call: another lead that follows the call must not be called either. */
  canceled_at: z.optional(z.string()),
  /** When the table removed the call after its retention; absent if an erasure removed it. */
  removed_at: z.optional(z.string()),
  /** When an erasure of a removed call began. It removes the copies that retention does not reach. */
  rest_erased_at: z.optional(z.string()),
});

export type Tombstone = z.infer<typeof tombstoneSchema>;

/**
 * Returns the tombstone of a call that the table removed after its retention. It prevents a second use of the id: a
 * repeated client request or lead event has the same id and must not ring a phone. It names the copies that retention
 * does not reach, so that `call erase` still finds them.
 * @returns undefined for a random id of a call without such copies, known or possible
 */
export function tombstoneOfRemoved(call: Shown<Call>, now: Date): Tombstone | undefined {
  const { call_id, org_id, idempotency_key, lead, tested_by } = call;
  const platformIds = platformIdsOf(call);
  const remote_records = remoteRecordsOf(call);
  const unconfirmed = unconfirmedOf(call);
  const mayBeRepeated = idempotency_key !== undefined || lead !== undefined || tested_by !== undefined;
  const hasCopies = platformIds.length > 0 || remote_records.length > 0 || unconfirmed !== undefined;
  if (!mayBeRepeated && !hasCopies) return undefined;
  const at = now.toISOString();
  return {
    call_id,
    erased_of: org_id,
    erased_at: at,
    erasure_done_at: at,
    removed_at: at,
    found: {
      ...{ files: 0, callbacks: 0, activity: 0, claims: 0, platform_calls: platformIds.length, remote_records },
      unconfirmed,
    },
    platform_ids: platformIds.length > 0 ? platformIds : undefined,
  };
}

/** Longer than a worker may run with a call that it has read (docs/architecture.md, "The queues"). */
const LONGEST_WORK_SECONDS = 90;

/** Returns until when workers may be busy with a call. @param isUnfinished whether work is left */
export const busyUntil = (isUnfinished: boolean, now: Date): string | undefined =>
  isUnfinished ? secondsAfter(now, LONGEST_WORK_SECONDS) : undefined;

/** Lists the ids under which the voice platform may have data of a call: one per attempt, and those of double dials. */
export const platformIdsOf = ({
  platform_id,
  former_platform_ids: former = new Set(),
  second_platform_ids: second = new Set(),
}: Pick<Call, 'platform_id' | 'former_platform_ids' | 'second_platform_ids'>): string[] => [
  // A call may later adopt an id that was first noted as a second one.
  ...new Set([...former, ...(platform_id === undefined ? [] : [platform_id]), ...second]),
];

/** Lists the known ids of an erased call whose data the voice platform may still have. */
export const platformIdsLeft = ({
  platform_ids: ids = [],
  late_platform_ids: late = new Set(),
}: Pick<Tombstone, 'platform_ids' | 'late_platform_ids'>): string[] => [...new Set([...ids, ...late])];

/** The marks of the records that a call may have in remote systems, each with its system. */
export const remoteMarks = {
  call_log: 'crm-b',
  note: 'crm-b',
  ticket_contact: 'help-desk',
  ticket: 'help-desk',
} as const satisfies Partial<Record<keyof Call, RemoteRecord['system']>>;

/** Lists the records that the service wrote for a call into CRM-B and the help desk. */
export const remoteRecordsOf = (call: Shown<Call>): RemoteRecord[] => [
  ...(Object.keys(remoteMarks) as (keyof typeof remoteMarks)[]).flatMap((record) => {
    const { id, at } = call[record] ?? {};
    if (id === undefined) return [];
    const system = remoteMarks[record];
    const organization = system === 'help-desk' ? call.ticket_organization : undefined;
    return [{ system, record, id, ...(organization !== undefined && { organization }), ...(at && { at }) }];
  }),
  ...(call.former_contacts ?? []).flatMap(({ organization, id, at }) =>
    id === undefined
      ? []
      : [{ system: 'help-desk' as const, record: 'ticket_contact', id, ...(organization && { organization }), at }],
  ),
];

/**
 * Lists the requests for a call whose result the service never learned: writes without an id, and a dial of a call that
 * the service has ended without knowing its id at the platform. Returns undefined if there are none.
 */
export function unconfirmedOf(call: Shown<Call>): string[] | undefined {
  const writes = (Object.keys(remoteMarks) as (keyof typeof remoteMarks)[]).filter((record) => {
    const { state, id } = call[record] ?? {};
    const wasForgotten = record === 'ticket_contact' && call.former_contacts?.some((one) => one.id === undefined);
    return wasForgotten || (id === undefined && (state === 'asked' || state === 'unconfirmed'));
  });
  const isDialUnknown = isEndedWithoutReport(call) && platformIdsOf(call).length === 0;
  const found = [...writes, ...(isDialUnknown ? ['dial'] : [])];
  return found.length > 0 ? found : undefined;
}
