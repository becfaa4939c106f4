import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { type Notice, noticeSchema } from '../../domain/notices/notice.ts';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import { ofOrg, readAll } from '../dynamodb/reads.ts';

export type NoticeStore = ReturnType<typeof noticeStore>;

/** The key of the next run's start. No organization has this id. */
const CURSOR = { org_id: '#run', subject: 'cursor' };

/** Accesses the Notices table: the last e-mail notice of an organization about each subject. */
export function noticeStore(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  return {
    /** Reads consistently. An organization has at most one notice for its credit and one per connection. */
    ofOrg: (orgId: string): Promise<Notice[]> => readAll(ofOrg(db, table, orgId), (item) => noticeSchema.parse(item)),

    /** Stores the next version of a notice. @returns false if another worker has written one since it was read */
    advance: (notice: Notice): Promise<boolean> =>
      writes.tryPut(notice, [
        notice.version === 1
          ? { expression: 'attribute_not_exists(subject)' }
          : { expression: '#version = :before', values: { before: notice.version - 1 } },
      ]),

    /** @returns the organization after which the next run begins; undefined to begin at the first */
    async cursor(): Promise<string | undefined> {
      const { Item } = await db.send(new GetCommand({ TableName: table, Key: CURSOR }));
      return Item?.after === undefined ? undefined : String(Item.after);
    },

    /** @param after undefined if the run has visited all organizations */
    async putCursor(after: string | undefined): Promise<void> {
      await writes.tryPut({ ...CURSOR, ...(after !== undefined && { after }) }, []);
    },
  };
}
