import * as z from 'zod/mini';
import { viewLeadCounts } from '../../../shared/domain/leads/lead-counts-view.ts';
import { viewLeadEvent } from '../../../shared/domain/leads/lead-event-view.ts';
import { listLeadEvents as route } from '../../../shared/messages/dashboard/leads.ts';
import { countLeadEvents, listLeadEvents } from '../../../shared/operations/leads/list-lead-events.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { clock } from '../../../shared/runtime/clock.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { answer } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { cursorOf, limitOf, readCursor, writeCursor } from '../../../shared/runtime/dashboard/dashboard-input.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { callBriefs } from '../../../shared/stores/calls/call-briefs.ts';
import { activityStore } from '../../../shared/stores/connections/activity.ts';
import { connectionStore } from '../../../shared/stores/connections/connections.ts';
import { wireAdmission } from '../../../shared/wiring/admission.ts';

const config = readConfig({
  MEMBERS_TABLE: z.string(),
  CONNECTIONS_TABLE: z.string(),
  ACTIVITY_TABLE: z.string(),
  CALLS_TABLE: z.string(),
});
const db = documentClient(quick);

const deps = {
  connections: connectionStore(db, config.CONNECTIONS_TABLE),
  activity: activityStore(db, config.ACTIVITY_TABLE),
  calls: callBriefs(db, config.CALLS_TABLE),
  now: clock,
};
const admit = wireAdmission(config, db);
const position = cursorOf('at', 'event_id');
const cursor = z.strictObject({
  at: position.shape.at,
  last: z.strictObject({ 'crm-a': z.optional(position), 'crm-b': z.optional(position) }),
});

export const handler = dashboardRoute(route, admit, async ({ member, query }) => {
  if (query.count) {
    const { counts, searchedTo } = await countLeadEvents(deps, member.org_id, query);
    return answer(200, { items: [], next: null, searched_to: searchedTo ?? null, counts: viewLeadCounts(counts) });
  }
  const before = readCursor(cursor, query.next);
  if (!before.ok) return before.answer;
  const { items, connections, calls, next, searchedTo } = await listLeadEvents(deps, member.org_id, query, {
    limit: limitOf(query),
    before: before.value,
  });
  const crms = new Map(connections.map(({ connection_id, type }) => [connection_id, type]));
  return answer(200, {
    items: items.map((entry) =>
      viewLeadEvent(entry, crms.get(entry.connection_id) ?? '', calls.get(entry.call_id ?? '')),
    ),
    next: writeCursor(next),
    searched_to: searchedTo ?? null,
    counts: null,
  });
});
