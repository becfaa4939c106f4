import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type Shown, shownSchemaOf } from '../../domain/newer-values.ts';
import { type Member, memberSchema, type Role } from '../../domain/organizations/members/member.ts';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import { type Page, query, readAll, readItem, readPage } from '../dynamodb/reads.ts';
import type { Item, Write } from '../dynamodb/transaction.ts';
import type { Condition } from '../dynamodb/update.ts';

export type MemberStore = ReturnType<typeof memberStore>;

export const memberIndexes = { byOrg: 'by-org' } as const;

/** The member after which a page begins. */
export type MemberCursor = Pick<Member, 'email' | 'user_id'>;

const shownSchema = shownSchemaOf(memberSchema);

/** Accesses the Members table: the people of each organization. Each person belongs to one. */
export function memberStore(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  const parse = (item: Item): Member => memberSchema.parse(item);
  const parseToShow = (item: Item): Shown<Member> => shownSchema.parse(item);
  const ofOrg = (orgId: string) => ({
    TableName: table,
    IndexName: memberIndexes.byOrg,
    KeyConditionExpression: 'org_id = :org',
    ExpressionAttributeValues: { ':org': orgId },
  });
  /** Returns the condition that the person is still a member of the organization, in this role. */
  const stillHas = (orgId: string, role: Role): Condition[] => [
    { expression: 'org_id = :org AND #role = :role', values: { org: orgId, role } },
  ];

  return {
    /** Reads consistently, so that a removed or demoted person's next request is refused. */
    async get(userId: string): Promise<Member | undefined> {
      const item = await readItem(db, table, { user_id: userId });
      return item && parse(item);
    },

    /**
     * Reads a page of members, only to show them, sorted by e-mail address. @param after the last one of the previous
     * page.
     */
    async page(orgId: string, limit: number, after?: MemberCursor): Promise<Page<Shown<Member>>> {
      return await readPage(
        db,
        { ...ofOrg(orgId), Limit: limit, ...(after && { ExclusiveStartKey: { org_id: orgId, ...after } }) },
        parseToShow,
      );
    },

    /** Reads the members who have one of the roles, among the organization's first `most` members. */
    async withRoles(orgId: string, roles: readonly Role[], most: number): Promise<Member[]> {
      const members = await readAll(query(db, { ...ofOrg(orgId), Limit: most }), parseToShow, most);
      return members.filter((member): member is Member => roles.some((role) => role === member.role));
    },

    /** Refused, with the stored member, if the person is already a member. */
    adding: (member: Member): Write => writes.put(member, [{ expression: 'attribute_not_exists(user_id)' }], 'ALL_OLD'),

    /** Refused if the role has changed since it was read. */
    changingRole: ({ user_id, org_id, role }: Member, to: Role): Write =>
      writes.update({ user_id }, { set: { role: to } }, stillHas(org_id, role)),

    /** Refused if the role has changed since it was read, or the member is gone. */
    removing: ({ user_id, org_id, role }: Member): Write => writes.delete({ user_id }, stillHas(org_id, role)),

    /** Refused if the member is gone. */
    updating: (
      { user_id, org_id }: Pick<Member, 'user_id' | 'org_id'>,
      set: Partial<Pick<Member, 'name' | 'phone' | 'has_no_emails' | 'sessions_from'>>,
      remove: readonly ('phone' | 'has_no_emails')[] = [],
    ): Write => writes.update({ user_id }, { set, remove }, [{ expression: 'org_id = :org', values: { org: org_id } }]),
  };
}
