import { CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import * as z from 'zod/mini';
import { userPoolSessions } from '../../../shared/integrations/user-pool/sessions.ts';
import { refreshSession as route } from '../../../shared/messages/dashboard/session.ts';
import { refreshSession } from '../../../shared/operations/organizations/sessions/refresh-session.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { answer, decline, declineTooManyAttempts } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { sessionCookies, sessionRoute } from '../../../shared/runtime/dashboard/session-route.ts';
import { count } from '../../../shared/runtime/metrics.ts';

const config = readConfig({ USER_POOL_ID: z.string(), USER_POOL_CLIENT_ID: z.string(), DASHBOARD_URL: z.url() });

const deps = {
  pool: userPoolSessions(new CognitoIdentityProviderClient(quick), {
    poolId: config.USER_POOL_ID,
    clientId: config.USER_POOL_CLIENT_ID,
  }),
  count,
};

/** A minute, because the user pool does not say when it accepts requests again. */
const THROTTLED = { resetSeconds: 60 };

export const handler = sessionRoute(route, config.DASHBOARD_URL, async ({ refreshToken }) => {
  const result = await refreshSession(deps, refreshToken);
  switch (result.kind) {
    case 'tokens':
      return answer(
        200,
        { access_token: result.accessToken, expires_in: result.expiresIn },
        sessionCookies(config.DASHBOARD_URL, result.refreshToken),
      );
    case 'throttled':
      return declineTooManyAttempts(THROTTLED);
    case 'no_session':
      return decline({ error: result.kind, message: 'There is no session. Sign in.' });
  }
});
