import * as z from 'zod/mini';
import { viewUsageDay } from '../../../shared/domain/calls/usage/usage-range.ts';
import { viewNewerConnection } from '../../../shared/domain/connections/newer-connection.ts';
import { viewConnectionHealth, viewCredit } from '../../../shared/domain/overview/overview-view.ts';
import { showOverview as route } from '../../../shared/messages/dashboard/overview.ts';
import { showOverview } from '../../../shared/operations/overview/show-overview.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { clock } from '../../../shared/runtime/clock.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { answer } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { logger } from '../../../shared/runtime/logger.ts';
import { callCounts } from '../../../shared/stores/calls/call-counts.ts';
import { callSearch } from '../../../shared/stores/calls/call-search.ts';
import { callStore } from '../../../shared/stores/calls/calls.ts';
import { usageStore } from '../../../shared/stores/calls/usage.ts';
import { activityStore } from '../../../shared/stores/connections/activity.ts';
import { connectionStore } from '../../../shared/stores/connections/connections.ts';
import { apiKeyStore } from '../../../shared/stores/organizations/api-keys.ts';
import { assistantStore } from '../../../shared/stores/organizations/assistants.ts';
import { organizationStore } from '../../../shared/stores/organizations/organizations.ts';
import { wireAdmission } from '../../../shared/wiring/admission.ts';

const config = readConfig({
  MEMBERS_TABLE: z.string(),
  USAGE_TABLE: z.string(),
  ORGANIZATIONS_TABLE: z.string(),
  CALLS_TABLE: z.string(),
  CONNECTIONS_TABLE: z.string(),
  ACTIVITY_TABLE: z.string(),
  ASSISTANTS_TABLE: z.string(),
  API_KEYS_TABLE: z.string(),
});
const db = documentClient(quick);

const deps = {
  usage: usageStore(db, config.USAGE_TABLE),
  organizations: organizationStore(db, config.ORGANIZATIONS_TABLE),
  calls: { ...callStore(db, config.CALLS_TABLE), ...callSearch(db, config.CALLS_TABLE) },
  callCounts: callCounts(db, config.CALLS_TABLE),
  connections: connectionStore(db, config.CONNECTIONS_TABLE),
  activity: activityStore(db, config.ACTIVITY_TABLE),
  assistants: assistantStore(db, config.ASSISTANTS_TABLE),
  apiKeys: apiKeyStore(db, config.API_KEYS_TABLE),
  now: clock,
  log: (message: string, facts: object) => logger.warn(message, { ...facts }),
};
const admit = wireAdmission(config, db);

export const handler = dashboardRoute(route, admit, async ({ member, query }) => {
  const overview = await showOverview(deps, member.org_id, Number(query.days ?? 7));
  const { at, unread, usage, org, pace, spentToday, connections, newerConnections, leads, now, steps, attention } =
    overview;
  return answer(200, {
    at: at.toISOString(),
    unread,
    usage: usage?.map(viewUsageDay) ?? null,
    now: now ?? null,
    leads: leads ? viewLeads(leads) : null,
    connections: connections?.map(viewConnectionHealth) ?? null,
    newer_connections: newerConnections?.map(viewNewerConnection) ?? [],
    credit: org ? viewCredit(org, { pace, spentToday }) : null,
    steps: steps ?? null,
    attention,
  });
});

const viewLeads = ({ isAll, ...counts }: NonNullable<Awaited<ReturnType<typeof showOverview>>['leads']>) => ({
  ...counts,
  is_all: isAll,
});
