import type { Count } from '../../../domain/metric.ts';
import type { Tokens, UserPoolSessions } from '../../../integrations/user-pool/sessions.ts';

export type RefreshSessionDeps = { pool: Pick<UserPoolSessions, 'refresh'>; count: Count };

export type Refreshing = Tokens | { kind: 'no_session' | 'throttled' };

/**
 * Renews the access token of a session. A metric counts refused tokens (docs/tracing.md, "Refused requests"). Expired
 * sessions are not among them, because their cookie expires with them.
 * @param refreshToken undefined if the browser has no session
 */
export async function refreshSession(
  { pool, count }: RefreshSessionDeps,
  refreshToken: string | undefined,
): Promise<Refreshing> {
  if (refreshToken === undefined) return { kind: 'no_session' };
  const answer = await pool.refresh(refreshToken);
  if (answer.kind === 'tokens') return answer;
  if (answer.kind === 'throttled') return { kind: answer.kind };
  count('NotAuthenticated');
  return { kind: 'no_session' };
}
