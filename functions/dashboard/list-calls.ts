import * as z from 'zod/mini';
import { viewCallRow } from '../../shared/domain/calls/call-row-view.ts';
import { listCalls as route } from '../../shared/messages/dashboard/calls.ts';
import { findCalls, listCalls } from '../../shared/operations/calls/list-calls.ts';
import { memberAdmission } from '../../shared/operations/organizations/members/admit-member.ts';
import { quick } from '../../shared/runtime/aws.ts';
import { readConfig } from '../../shared/runtime/config.ts';
import { answer } from '../../shared/runtime/dashboard-answer.ts';
import { cursorOf, limitOf, readCursor, writeCursor } from '../../shared/runtime/dashboard-input.ts';
import { dashboardRoute } from '../../shared/runtime/dashboard-route.ts';
import { documentClient } from '../../shared/runtime/dynamodb.ts';
import { callStore } from '../../shared/stores/calls/calls.ts';
import { memberStore } from '../../shared/stores/organizations/members.ts';

const config = readConfig({ MEMBERS_TABLE: z.string(), CALLS_TABLE: z.string() });
const db = documentClient(quick);

const deps = { calls: callStore(db, config.CALLS_TABLE) };
const admit = memberAdmission({ members: memberStore(db, config.MEMBERS_TABLE) });
const cursor = cursorOf('created_at', 'call_id');

export const handler = dashboardRoute(route, admit, async ({ member, query }) => {
  const before = readCursor(cursor, query.next);
  if (!before.ok) return before.answer;
  if (query.q !== undefined) {
    const found = await findCalls(deps, member.org_id, query.q, query);
    return answer(200, { items: found.map(viewCallRow), next: null, searched_to: null });
  }
  const { items, next, searchedTo } = await listCalls(deps, member.org_id, query, {
    limit: limitOf(query),
    before: before.value,
  });
  return answer(200, { items: items.map(viewCallRow), next: writeCursor(next), searched_to: searchedTo ?? null });
});
