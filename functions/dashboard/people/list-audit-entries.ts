import * as z from 'zod/mini';
import { viewAuditEntry } from '../../../shared/domain/organizations/members/member-view.ts';
import { listAuditEntries as route } from '../../../shared/messages/dashboard/people.ts';
import { listAuditEntries } from '../../../shared/operations/organizations/members/list-audit-entries.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { clock } from '../../../shared/runtime/clock.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { answer } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { cursorOf, limitOf, readCursor, writeCursor } from '../../../shared/runtime/dashboard/dashboard-input.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { auditStore } from '../../../shared/stores/organizations/audit.ts';
import { wireAdmission } from '../../../shared/wiring/admission.ts';

const config = readConfig({ MEMBERS_TABLE: z.string(), AUDIT_TABLE: z.string() });
const db = documentClient(quick);

const deps = { audit: auditStore(db, config.AUDIT_TABLE), now: clock };
const admit = wireAdmission(config, db);
const cursor = cursorOf('entry');

export const handler = dashboardRoute(route, admit, async ({ member, query }) => {
  const before = readCursor(cursor, query.next);
  if (!before.ok) return before.answer;
  const { items, next, searchedTo } = await listAuditEntries(deps, member.org_id, query, {
    limit: limitOf(query),
    ...(before.value && { before: before.value.entry }),
  });
  return answer(200, {
    items: items.map(viewAuditEntry),
    next: writeCursor(next === undefined ? undefined : { entry: next }),
    searched_to: searchedTo ?? null,
  });
});
