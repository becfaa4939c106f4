import * as z from 'zod/mini';
import { viewMember } from '../../../shared/domain/organizations/members/member-view.ts';
import { listMembers } from '../../../shared/messages/dashboard/people.ts';
import { memberAdmission } from '../../../shared/operations/organizations/members/admit-member.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { answer } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { cursorOf, limitOf, readCursor, writeCursor } from '../../../shared/runtime/dashboard/dashboard-input.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { memberStore } from '../../../shared/stores/organizations/members.ts';

const config = readConfig({ MEMBERS_TABLE: z.string() });
const members = memberStore(documentClient(quick), config.MEMBERS_TABLE);
const cursor = cursorOf('email', 'user_id');

export const handler = dashboardRoute(listMembers, memberAdmission({ members }), async ({ member, query }) => {
  const after = readCursor(cursor, query.next);
  if (!after.ok) return after.answer;
  const { items, last } = await members.page(member.org_id, limitOf(query), after.value);
  return answer(200, {
    items: items.map(viewMember),
    next: writeCursor(last && { email: last.email, user_id: last.user_id }),
  });
});
