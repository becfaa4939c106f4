import { DASHBOARD_PATH } from '../../shared/messages/dashboard/route.ts';
import { type DashboardRouteName, dashboardRoutes } from '../../shared/messages/dashboard/routes.ts';
import { auditLog, type FunctionRow, setting, table, type Use, userPoolClient } from '../uses.ts';

/** Answers a request of the dashboard. The route and the right that it needs are those of its row. */
const answers = (name: DashboardRouteName): FunctionRow['trigger'] => {
  const { method, path, role } = dashboardRoutes[name];
  return {
    kind: 'http',
    routes: [`${method} ${DASHBOARD_PATH}${path}`],
    isForMembers: role !== 'none',
    isDashboard: true,
  };
};

/** Makes the row of a route's function. */
export const row = (
  name: DashboardRouteName,
  uses: Record<string, Use>,
  ifItFails: string,
  more: Pick<FunctionRow, 'timeoutSeconds' | 'memoryMb' | 'children' | 'isCostly'> = {},
): FunctionRow => ({
  entry: `dashboard/${name}`,
  trigger: answers(name),
  uses,
  ifItFails,
  ...more,
});

export const membership = { MEMBERS_TABLE: table('members', ['GetItem']) };
export const audited = { AUDIT_TABLE: auditLog };
/** The counters of what is limited in a minute. */
export const counted = { RATE_LIMITS_TABLE: table('rate-limits', ['UpdateItem']) };
export const publicUrl = { PUBLIC_URL: setting('publicUrl') };
export const poolClient = { USER_POOL_CLIENT_ID: userPoolClient };
