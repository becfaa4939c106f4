import type * as z from 'zod/mini';
import type { DashboardRoute } from '../../messages/dashboard/route.ts';
import { DASHBOARD_PATH } from '../../messages/dashboard/route.ts';
import { type RestAnswer, restRoute } from '../rest/rest-route.ts';
import { decline } from './dashboard-answer.ts';
import { readBody, readInput } from './dashboard-input.ts';

type Output<Schema> = Schema extends z.ZodMiniType ? z.output<Schema> : undefined;

export type SessionRequest<Row extends DashboardRoute> = {
  body: Output<Row['request']>;
  query: Output<Row['query']>;
  /** From the cookie. */
  refreshToken: string | undefined;
};

const COOKIE = 'dashboard_session';
const COOKIE_SECONDS = 7 * 86_400; // the refresh token's life

/** Returns the session's cookie, for the session's routes only; no cookie without a token. */
export function sessionCookies(dashboardUrl: string, refreshToken: string | undefined): { cookies?: string[] } {
  return refreshToken === undefined ? {} : { cookies: [cookie(dashboardUrl, refreshToken, COOKIE_SECONDS)] };
}

/** Returns the cookie that removes the session's cookie. */
export const endedSession = (dashboardUrl: string): { cookies: string[] } => ({
  cookies: [cookie(dashboardUrl, '', 0)],
});

function cookie(dashboardUrl: string, value: string, seconds: number): string {
  const secure = dashboardUrl.startsWith('https:') ? '; Secure' : '';
  return `${COOKIE}=${value}; Path=${DASHBOARD_PATH}/session; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}

/**
 * Creates the Lambda handler of a route that begins, renews or ends a session. Requests must come from the dashboard's
 * own pages: other sites cannot send the header `x-dashboard` or its `Origin` (docs/dashboard.md, "Session").
 */
export const sessionRoute = <const Row extends DashboardRoute>(
  row: Row,
  dashboardUrl: string,
  route: (request: SessionRequest<Row>) => Promise<RestAnswer>,
) =>
  restRoute(async (request) => {
    const { origin, 'x-dashboard': mark } = request.headers;
    if (mark !== '1' || origin !== new URL(dashboardUrl).origin)
      return decline({ error: 'foreign_origin', message: 'Only the pages of the dashboard may use this address.' });
    const query = row.query ? readInput(row.query, request.query, 'The query') : undefined;
    if (query?.ok === false) return query.answer;
    const body = row.request ? readBody(row.request, request) : undefined;
    if (body?.ok === false) return body.answer;
    return await route({
      body: body?.value as Output<Row['request']>,
      query: query?.value as Output<Row['query']>,
      refreshToken: refreshTokenIn(request.cookies),
    });
  });

function refreshTokenIn(cookies: readonly string[]): string | undefined {
  const found = cookies.map((one) => one.trim()).find((one) => one.startsWith(`${COOKIE}=`));
  return found?.slice(COOKIE.length + 1) || undefined;
}
