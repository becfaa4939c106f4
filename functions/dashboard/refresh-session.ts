import { CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import * as z from 'zod/mini';
import { userPoolSessions } from '../../shared/integrations/user-pool/sessions.ts';
import { refreshSession } from '../../shared/messages/dashboard/session.ts';
import { quick } from '../../shared/runtime/aws.ts';
import { readConfig } from '../../shared/runtime/config.ts';
import { answer, decline, declineGuess } from '../../shared/runtime/dashboard-answer.ts';
import { sessionCookies, sessionRoute } from '../../shared/runtime/session-route.ts';

const config = readConfig({ USER_POOL_ID: z.string(), USER_POOL_CLIENT_ID: z.string(), DASHBOARD_URL: z.url() });

const pool = userPoolSessions(new CognitoIdentityProviderClient(quick), {
  poolId: config.USER_POOL_ID,
  clientId: config.USER_POOL_CLIENT_ID,
});

/** A minute: the user pool does not say when it answers again. */
const THROTTLED = { resetSeconds: 60 };

export const handler = sessionRoute(refreshSession, config.DASHBOARD_URL, async ({ refreshToken }) => {
  const result = refreshToken === undefined ? { kind: 'refused' as const } : await pool.refresh(refreshToken);
  switch (result.kind) {
    case 'tokens':
      return answer(
        200,
        { access_token: result.accessToken, expires_in: result.expiresIn },
        sessionCookies(config.DASHBOARD_URL, result.refreshToken),
      );
    case 'throttled':
      return declineGuess(THROTTLED);
    default:
      return decline({ error: 'no_session', message: 'There is no session. Sign in.' });
  }
});
