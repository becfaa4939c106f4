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

/** No worker has anything left to do for the call, so that none stores a file by the former retention. */
const finished: readonly Condition[] = [
  exists,
  oneOf('status', terminalStatuses),
  { expression: 'attribute_not_exists(unfinished)' },
];

/** The part of the Calls table that changes how long ended calls are kept. Only operators have the rights. */
export function callRetention(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  return {
    /**
     * Begins to apply a retention: readers follow it from now on. The table does not remove the call before `end`,
     * because its files could not be found any more.
     * @param call as it was read. @param next.isGone the kinds of files that the bucket removes by the former one.
     * @returns false where the call is erased, under way again, or has another retention since.
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
     * Notes that all that belongs to the call follows its retention.
     * @param expires_at epoch seconds; undefined = for good. @returns false where it has another retention since.
     */
    end: (call: Kept, expires_at: number | undefined): Promise<boolean> =>
      writes.tryUpdate(
        { call_id: call.call_id },
        { set: { expires_at }, remove: ['keep_untagged', ...(expires_at === undefined ? ['expires_at'] : [])] },
        [exists, keepIs(call)],
      ),
  };
}
