import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Call } from '../../domain/calls/call.ts';
import { terminalStatuses } from '../../domain/calls/call-status.ts';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import type { Condition } from '../dynamodb/update.ts';
import { exists, oneOf } from './call-conditions.ts';

export type CallRetention = ReturnType<typeof callRetention>;

type Kept = Pick<Call, 'call_id' | 'keep'>;

const keepIs = ({ keep }: Kept): Condition =>
  keep ? { expression: '#keep = :before', values: { before: keep } } : { expression: 'attribute_not_exists(#keep)' };

/** No work on the call is left, so no worker stores a file under the former retention. */
const finished: readonly Condition[] = [
  exists,
  oneOf('status', terminalStatuses),
  { expression: 'attribute_not_exists(unfinished)' },
];

/** Changes the retention of ended calls in the Calls table. Only operators have the rights. */
export function callRetention(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  return {
    /**
     * Begins to apply a retention: readers follow it from now on. The table does not remove the call before `end`,
     * because its files could then no longer be found.
     * @param call as read. @param next.isGone the kinds of files that the bucket removes under the former retention
     * @returns false if the call is erased, unfinished again, or has got another retention since
     */
    begin: (
      call: Pick<Call, 'call_id' | 'keep' | 'recording'>,
      next: Pick<Call, 'keep' | 'keep_untagged'> & { isGone: Readonly<Record<'recordings' | 'transcripts', boolean>> },
    ): Promise<boolean> =>
      writes.tryUpdate(
        { call_id: call.call_id },
        {
          set: {
            keep: next.keep,
            keep_untagged: next.keep_untagged,
            ...(next.isGone.recordings && call.recording?.state === 'stored' && { recording: { state: 'none' } }),
          },
          remove: [
            ...(next.keep ? [] : ['keep']),
            ...(next.isGone.transcripts ? ['transcript_key', 'lines_key'] : []),
            ...(next.keep_untagged ? ['expires_at'] : []),
          ],
        },
        [...finished, keepIs(call)],
      ),

    /**
     * Records that all data of the call follows its retention.
     * @param expires_at epoch seconds; undefined for no limit @returns false if it has another retention since
     */
    end: (call: Kept, expires_at: number | undefined): Promise<boolean> =>
      writes.tryUpdate(
        { call_id: call.call_id },
        { set: { expires_at }, remove: ['keep_untagged', ...(expires_at === undefined ? ['expires_at'] : [])] },
        [exists, keepIs(call)],
      ),
  };
}
