import * as z from 'zod/mini';
import { listDoNotCall } from '../../shared/messages/dashboard/do-not-call.ts';
import { findNumbers } from '../../shared/operations/organizations/do-not-call/find-numbers.ts';
import { memberAdmission } from '../../shared/operations/organizations/members/admit-member.ts';
import { quick } from '../../shared/runtime/aws.ts';
import { readConfig } from '../../shared/runtime/config.ts';
import { answer } from '../../shared/runtime/dashboard-answer.ts';
import { cursorOf, limitOf, readCursor, writeCursor } from '../../shared/runtime/dashboard-input.ts';
import { dashboardRoute } from '../../shared/runtime/dashboard-route.ts';
import { documentClient } from '../../shared/runtime/dynamodb.ts';
import { doNotCallStore } from '../../shared/stores/organizations/do-not-call.ts';
import { memberStore } from '../../shared/stores/organizations/members.ts';
import { organizationStore } from '../../shared/stores/organizations/organizations.ts';

const config = readConfig({
  MEMBERS_TABLE: z.string(),
  ORGANIZATIONS_TABLE: z.string(),
  DO_NOT_CALL_TABLE: z.string(),
});
const db = documentClient(quick);

const deps = {
  doNotCall: doNotCallStore(db, config.DO_NOT_CALL_TABLE),
  organizations: organizationStore(db, config.ORGANIZATIONS_TABLE),
};
const admit = memberAdmission({ members: memberStore(db, config.MEMBERS_TABLE) });
const cursor = cursorOf('phone');

export const handler = dashboardRoute(listDoNotCall, admit, async ({ member, query }) => {
  const after = readCursor(cursor, query.next);
  if (!after.ok) return after.answer;
  const { items, last } = await findNumbers(deps, member.org_id, {
    typed: query.prefix,
    limit: limitOf(query),
    ...(after.value && { after: after.value.phone }),
  });
  return answer(200, {
    items: items.map(({ phone, added_at, call_id = null, added_by = null }) => ({
      phone,
      added_at,
      call_id,
      added_by,
    })),
    next: writeCursor(last && { phone: last.phone }),
  });
});
