import type { Call } from '../call.ts';

/**
 * Attributes that the sparse index of unfinished calls holds besides the keys of table and index. A change of this list
 * replaces the index.
 */
export const unfinishedCallAttributes = [
  'org_id',
  'connection_id',
  'status',
  'created_at',
  'progress_at',
  'scheduled_for',
  'dial_after',
  'dial_claimed_at',
  'platform_id',
  'hung_up_at',
  'finished_at',
  'callback_status',
  'analysis_callback',
  'crm_b_sync',
  'crm_b_sync_after',
  'ticket_work',
  'ticket_after',
] as const;

type Indexed = Exclude<(typeof unfinishedCallAttributes)[number], 'connection_id'>;

/** An unfinished call as the index shows it. The index may be some seconds old. */
export type UnfinishedCall = Pick<Call, 'call_id' | 'unfinished' | 'dial_by' | Indexed> & {
  /** The lead's connection. */
  connection_id?: string;
};
