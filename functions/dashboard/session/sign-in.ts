import { CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import * as z from 'zod/mini';
import { userPoolSessions } from '../../../shared/integrations/user-pool/sessions.ts';
import { signIn as route } from '../../../shared/messages/dashboard/session.ts';
import { signIn } from '../../../shared/operations/organizations/sessions/sign-in.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { clock } from '../../../shared/runtime/clock.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import {
  answer,
  decline,
  declineTooManyAttempts,
  weakPassword,
} from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { sessionCookies, sessionRoute } from '../../../shared/runtime/dashboard/session-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { count } from '../../../shared/runtime/metrics.ts';
import { rateLimitStore } from '../../../shared/stores/organizations/rate-limits.ts';

const config = readConfig({
  RATE_LIMITS_TABLE: z.string(),
  USER_POOL_ID: z.string(),
  USER_POOL_CLIENT_ID: z.string(),
  DASHBOARD_URL: z.url(),
});

const deps = {
  pool: userPoolSessions(new CognitoIdentityProviderClient(quick), {
    poolId: config.USER_POOL_ID,
    clientId: config.USER_POOL_CLIENT_ID,
  }),
  rateLimits: rateLimitStore(documentClient(quick), config.RATE_LIMITS_TABLE),
  now: clock,
  count,
};

export const handler = sessionRoute(route, config.DASHBOARD_URL, async ({ body }) => {
  const result = await signIn(deps, body);
  switch (result.kind) {
    case 'tokens':
      return answer(
        200,
        { access_token: result.accessToken, expires_in: result.expiresIn },
        sessionCookies(config.DASHBOARD_URL, result.refreshToken),
      );
    case 'new_password':
      return answer(200, { challenge: result.kind, challenge_session: result.session });
    case 'too_many_attempts':
      return declineTooManyAttempts(result);
    case 'weak_password':
      return weakPassword();
    case 'wrong_credentials':
      return decline({ error: result.kind, message: 'The e-mail address or the password is wrong.' });
  }
});
