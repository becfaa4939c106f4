import type { DashboardRoute } from '../../shared/messages/dashboard/route.ts';
import { isTokenRefused } from './api-error.ts';
import { type Answer, type Fetch, type Input, send } from './send.ts';
import type { DashboardSession } from './session.ts';

/** Calls routes of the dashboard's API, with the present token, and once more where it was refused. */
export function createClient(fetch: Fetch, session: Pick<DashboardSession, 'token' | 'replace'>) {
  return async function call<Route extends DashboardRoute>(route: Route, input: Input<Route>): Promise<Answer<Route>> {
    if (route.role === 'none') return await send(fetch, route, input);
    const token = await session.token();
    try {
      return await send(fetch, route, input, token);
    } catch (error) {
      if (!isTokenRefused(error)) throw error;
      return await send(fetch, route, input, await session.replace(token));
    }
  };
}
