import type { DashboardRouteName } from '../../shared/messages/dashboard/routes.ts';
import type { FunctionRow } from '../uses.ts';
import { assistantsFunctions } from './assistants.ts';
import { callsFunctions } from './calls.ts';
import { connectionsFunctions } from './connections.ts';
import { leadsFunctions } from './leads.ts';
import { organizationFunctions } from './organization.ts';
import { peopleFunctions } from './people.ts';
import { sessionFunctions } from './session.ts';

/** The functions behind the dashboard's pages, one per route. */
export const dashboardFunctions = {
  ...sessionFunctions,
  ...peopleFunctions,
  ...callsFunctions,
  ...assistantsFunctions,
  ...leadsFunctions,
  ...connectionsFunctions,
  ...organizationFunctions,
} satisfies Record<DashboardRouteName, FunctionRow>;
