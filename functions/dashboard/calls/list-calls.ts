import * as z from 'zod/mini';
import type { Call } from '../../../shared/domain/calls/call.ts';
import { viewCallRow } from '../../../shared/domain/calls/call-row-view.ts';
import type { Shown } from '../../../shared/domain/newer-values.ts';
import { listCalls as route } from '../../../shared/messages/dashboard/calls.ts';
import { findCalls } from '../../../shared/operations/calls/find-calls.ts';
import { listCalls } from '../../../shared/operations/calls/list-calls.ts';
import { countUnderWay, listUnderWay } from '../../../shared/operations/calls/under-way.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { clock } from '../../../shared/runtime/clock.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { answer } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import {
  cursorOf,
  limitOf,
  type Read,
  readCursor,
  writeCursor,
} from '../../../shared/runtime/dashboard/dashboard-input.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { callSearch } from '../../../shared/stores/calls/call-search.ts';
import { callStore } from '../../../shared/stores/calls/calls.ts';
import { claimStore } from '../../../shared/stores/calls/claims.ts';
import { activityStore } from '../../../shared/stores/connections/activity.ts';
import { organizationStore } from '../../../shared/stores/organizations/organizations.ts';
import { wireAdmission } from '../../../shared/wiring/admission.ts';

const config = readConfig({
  MEMBERS_TABLE: z.string(),
  ORGANIZATIONS_TABLE: z.string(),
  CALLS_TABLE: z.string(),
  CLAIMS_TABLE: z.string(),
  ACTIVITY_TABLE: z.string(),
});
const db = documentClient(quick);

const deps = {
  calls: { ...callStore(db, config.CALLS_TABLE), ...callSearch(db, config.CALLS_TABLE) },
  claims: claimStore(db, config.CLAIMS_TABLE),
  activity: activityStore(db, config.ACTIVITY_TABLE),
  organizations: organizationStore(db, config.ORGANIZATIONS_TABLE),
  now: clock,
};
const admit = wireAdmission(config, db);
const position = cursorOf('created_at', 'call_id');
const scheduledPosition = cursorOf('dial_by', 'call_id');

type Query = NonNullable<Parameters<Parameters<typeof dashboardRoute<typeof route>>[2]>[0]['query']>;
type Listed = { items: Shown<Call>[]; next?: object; searchedTo?: string };

async function list(orgId: string, { q, phase, next, ...filter }: Query): Promise<Read<Listed>> {
  const limit = limitOf(filter);
  if (phase && q === undefined) {
    const after = readCursor(scheduledPosition, next);
    if (!after.ok) return after;
    return { ok: true, value: await listUnderWay(deps, orgId, { ...filter, phase }, { limit, after: after.value }) };
  }
  const before = readCursor(position, next);
  if (!before.ok) return before;
  const from = { limit, before: before.value };
  const value = await (q === undefined
    ? listCalls(deps, orgId, filter, from)
    : findCalls(deps, orgId, { text: q, filter, ...from }));
  return { ok: true, value };
}

export const handler = dashboardRoute(route, admit, async ({ member, query }) => {
  const [listed, counts] = await Promise.all([
    list(member.org_id, query),
    query.counts ? countUnderWay(deps, member.org_id) : null,
  ]);
  if (!listed.ok) return listed.answer;
  const { items, next, searchedTo } = listed.value;
  return answer(200, {
    items: items.map(viewCallRow),
    next: writeCursor(next),
    searched_to: searchedTo ?? null,
    counts,
  });
});
