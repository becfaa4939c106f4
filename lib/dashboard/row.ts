import { DASHBOARD_PATH } from '../../shared/messages/dashboard/route.ts';
import { type DashboardRouteName, dashboardRoutes } from '../../shared/messages/dashboard/routes.ts';
import { auditLog, type FunctionRow, setting, table, userPoolClient } from '../uses.ts';

/** Returns the trigger of a dashboard function: its route, and whether the route requires a member's token. */
const triggerOf = (name: DashboardRouteName): FunctionRow['trigger'] => {
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

/** Every route with a role reads the member. */
const membership = { MEMBERS_TABLE: table('members', ['GetItem']) };

/** Creates the rows of the functions of an area's routes. `uses` may give more rights to the Members table. */
export const rowsIn = <Name extends DashboardRouteName>(
  area: (typeof areas)[number],
  rows: Record<Name, Omit<FunctionRow, 'entry' | 'trigger'>>,
): Record<Name, FunctionRow> =>
  Object.fromEntries(
    (Object.keys(rows) as Name[]).map((name) => [
      name,
      {
        ...rows[name],
        entry: `dashboard/${area}/${name}`,
        trigger: triggerOf(name),
        uses: { ...(dashboardRoutes[name].role !== 'none' && membership), ...rows[name].uses },
      },
    ]),
  ) as Record<Name, FunctionRow>;

export const audited = { AUDIT_TABLE: auditLog };
/** The counters of the rate limits. */
export const counted = { RATE_LIMITS_TABLE: table('rate-limits', ['UpdateItem']) };
export const publicUrl = { PUBLIC_URL: setting('publicUrl') };
export const poolClient = { USER_POOL_CLIENT_ID: userPoolClient };
