import * as z from 'zod/mini';
import { busyUntil, type RemoteRecord, remoteRecordSchema, type Tombstone } from '../../calls/retention/erased-call.ts';
import type { ReconnectNeeded } from '../../connections/access/token-result.ts';
import type { Connection } from '../../connections/connection.ts';

/** The result of an erasure for a record in a remote system. */
export const erasedRecordSchema = z.extend(remoteRecordSchema, {
  /**
   * `absent`: the remote system no longer had it, or has it in its trash. `kept`: the connection's setting keeps it.
   * `left`: removal failed; a repeat tries again.
   */
  outcome: z.enum(['removed', 'absent', 'kept', 'left']),
  /** Why it is kept or left. */
  reason: z.optional(z.string()),
});

export type ErasedRecord = z.infer<typeof erasedRecordSchema>;

/** The answer of a remote system to the removal of a record. A removal can be repeated after any answer. */
export type RecordRemoval =
  | { kind: 'removed' }
  /** The record does not exist. */
  | { kind: 'absent' }
  /** `scope`: the missing right of the consent. */
  | { kind: 'scope_missing'; scope: string }
  | { kind: 'refused'; code: string }
  | { kind: 'unavailable'; reason: string; retryAfterSeconds?: number }
  | { kind: 'unknown'; reason: string; retryAfterSeconds?: number }
  | ReconnectNeeded;

type Decision = Pick<ErasedRecord, 'outcome' | 'reason'> | 'remove';

/** Decides the outcome of an erasure for a record. @param connection to its system; undefined if it does not exist */
export function decideRecord(
  written: Pick<RemoteRecord, 'system' | 'record' | 'at'>,
  connection: Pick<Connection, 'settings' | 'grant' | 'organization_since'> | undefined,
  outcomes: Tombstone['record_outcomes'] = {},
): Decision {
  const { record } = written;
  const earlier = outcomes[record];
  if (earlier !== undefined) return { outcome: earlier };
  if (record === 'ticket_contact') return { outcome: 'kept', reason: 'other tickets may have the contact' };
  if (!connection) return { outcome: 'kept', reason: 'the organization has no such connection' };
  if (isOfFormerOrganization(written, connection))
    return {
      outcome: 'kept',
      reason: 'the connection moved to another organization of CRM-B after the write, or in the 90 seconds before',
    };
  if (connection.settings?.erase_records !== true)
    return { outcome: 'kept', reason: 'the connection does not allow it: erase_records is off' };
  return connection.grant ? 'remove' : { outcome: 'left', reason: 'the connection is disconnected' };
}

/**
 * Returns whether a record may be in a former organization of CRM-B: the present one would answer that it does not
 * exist. A worker that has read the former grant may still write to the former organization just after the change. At
 * the help desk, every request names the record's organization.
 */
const isOfFormerOrganization = (
  { system, at = '' }: Pick<RemoteRecord, 'system' | 'at'>,
  { organization_since: since }: Pick<Connection, 'organization_since'>,
): boolean => {
  const former = since === undefined ? undefined : busyUntil(true, new Date(since));
  return system === 'crm-b' && former !== undefined && at < former;
};

/** Explains why a record could not be removed. */
export function whyLeft(removal: Exclude<RecordRemoval, { kind: 'removed' | 'absent' }>): string {
  switch (removal.kind) {
    case 'scope_missing':
      return `the consent lacks the scope ${removal.scope}: a new consent is needed`;
    case 'refused':
      return `refused: ${removal.code}`;
    case 'reconnect_needed':
      return `the consent has ended: ${removal.reason}`;
    default:
      return removal.reason;
  }
}
