import { DASHBOARD_PATH } from '../../shared/messages/dashboard/route.ts';
import { type DashboardRouteName, dashboardRoutes } from '../../shared/messages/dashboard/routes.ts';
import { auditLog, type FunctionRow, setting, table, type Use, userPoolClient } from '../uses.ts';

/** Answers a dashboard request, with the route and the right of its row. */
const answers = (name: DashboardRouteName): FunctionRow['trigger'] => {
  const { method, path, role } = dashboardRoutes[name];
  return {
    kind: 'http',
    routes: [`${method} ${DASHBOARD_PATH}${path}`],
    isForMembers: role !== 'none',
    isDashboard: true,
  };
};

/** The parts of the dashboard, each with a file of rows here and a folder in functions/dashboard/. */
export const areas = ['session', 'people', 'calls', 'assistants', 'leads', 'connections', 'organization'] as const;

/** Creates the rows of the functions of an area's routes. */
export const rowsIn =
  (area: (typeof areas)[number]) =>
  (
    name: DashboardRouteName,
    uses: Record<string, Use>,
    ifItFails: string,
    more: Pick<FunctionRow, 'timeoutSeconds' | 'memoryMb' | 'children' | 'isCostly'> = {},
  ): FunctionRow => ({
    entry: `dashboard/${area}/${name}`,
    trigger: answers(name),
    uses,
    ifItFails,
    ...more,
  });

export const membership = { MEMBERS_TABLE: table('members', ['GetItem']) };
export const audited = { AUDIT_TABLE: auditLog };
/** The counters of the rate limits. */
export const counted = { RATE_LIMITS_TABLE: table('rate-limits', ['UpdateItem']) };
export const publicUrl = { PUBLIC_URL: setting('publicUrl') };
export const poolClient = { USER_POOL_CLIENT_ID: userPoolClient };
