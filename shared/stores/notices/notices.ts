import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { type Notice, noticeSchema } from '../../domain/notices/notice.ts';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import { ofOrg, readAll } from '../dynamodb/reads.ts';

export type NoticeStore = ReturnType<typeof noticeStore>;

/** Where the next run begins. No organization has this id. */
const CURSOR = { org_id: '#run', subject: 'cursor' };

/** The Notices table: what people of an organization were told last by e-mail, for each subject. */
export function noticeStore(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  return {
    /** Reads consistently. An organization has at most one for its credit and one for each connection. */
    ofOrg: (orgId: string): Promise<Notice[]> => readAll(ofOrg(db, table, orgId), (item) => noticeSchema.parse(item)),

    /** Stores the notice after the one that was read. @returns false if another worker has written meanwhile */
    advance: (notice: Notice): Promise<boolean> =>
      writes.tryPut(notice, [
        notice.version === 1
          ? { expression: 'attribute_not_exists(subject)' }
          : { expression: '#version = :before', values: { before: notice.version - 1 } },
      ]),

    /** @returns the organization after which the next run begins; undefined = at the first one */
    async cursor(): Promise<string | undefined> {
      const { Item } = await db.send(new GetCommand({ TableName: table, Key: CURSOR }));
      return Item?.after === undefined ? undefined : String(Item.after);
    },

    /** @param after undefined = the run has looked at all organizations */
    async putCursor(after: string | undefined): Promise<void> {
      await writes.tryPut({ ...CURSOR, ...(after !== undefined && { after }) }, []);
    },
  };
}
