import { CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import * as z from 'zod/mini';
import { userPoolPasswords } from '../../../shared/integrations/user-pool/passwords.ts';
import { requestPasswordReset as route } from '../../../shared/messages/dashboard/session.ts';
import { requestPasswordReset } from '../../../shared/operations/organizations/sessions/passwords.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { clock, sleep } from '../../../shared/runtime/clock.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { answer, declineTooManyAttempts } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { sessionRoute } from '../../../shared/runtime/dashboard/session-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { logger } from '../../../shared/runtime/logger.ts';
import { count } from '../../../shared/runtime/metrics.ts';
import { rateLimitStore } from '../../../shared/stores/organizations/rate-limits.ts';

const config = readConfig({ RATE_LIMITS_TABLE: z.string(), USER_POOL_CLIENT_ID: z.string(), DASHBOARD_URL: z.url() });

const deps = {
  pool: userPoolPasswords(new CognitoIdentityProviderClient(quick), config.USER_POOL_CLIENT_ID),
  rateLimits: rateLimitStore(documentClient(quick), config.RATE_LIMITS_TABLE),
  now: clock,
  count,
  sleep,
  log: (message: string, facts: object) => logger.warn(message, { ...facts }),
};

export const handler = sessionRoute(route, config.DASHBOARD_URL, async ({ body }) => {
  const result = await requestPasswordReset(deps, body.email);
  // The answer is the same for known and unknown addresses.
  return result.kind === 'done' ? answer(202, {}) : declineTooManyAttempts(result);
});
