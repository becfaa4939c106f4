import type { DashboardRoute } from '../../../shared/messages/dashboard/route.ts';
import { isTokenRefused } from '../api/api-error.ts';
import { type Answer, type Fetch, type Input, send } from '../api/send.ts';
import type { DashboardSession } from './session.ts';

/** Calls routes of the dashboard's API with the current token, and retries once if the API rejects it. */
export function createClient(fetch: Fetch, session: Pick<DashboardSession, 'getToken' | 'replaceToken'>) {
  return async function callApi<Route extends DashboardRoute>(
    route: Route,
    input: Input<Route>,
  ): Promise<Answer<Route>> {
    if (route.role === 'none') return await send(fetch, route, input);
    const token = await session.getToken();
    try {
      return await send(fetch, route, input, token);
    } catch (error) {
      if (!isTokenRefused(error)) throw error;
      return await send(fetch, route, input, await session.replaceToken(token));
    }
  };
}
