import { CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import * as z from 'zod/mini';
import { userPoolPasswords } from '../../../shared/integrations/user-pool/passwords.ts';
import { userPoolPeople } from '../../../shared/integrations/user-pool/people.ts';
import { resetPassword as route } from '../../../shared/messages/dashboard/session.ts';
import { resetPassword } from '../../../shared/operations/organizations/sessions/passwords.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { clock, sleep } from '../../../shared/runtime/clock.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import {
  decline,
  declineTooManyAttempts,
  noContent,
  weakPassword,
} from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { sessionRoute } from '../../../shared/runtime/dashboard/session-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { logger } from '../../../shared/runtime/logger.ts';
import { count } from '../../../shared/runtime/metrics.ts';
import { rateLimitStore } from '../../../shared/stores/organizations/rate-limits.ts';

const config = readConfig({
  RATE_LIMITS_TABLE: z.string(),
  USER_POOL_ID: z.string(),
  USER_POOL_CLIENT_ID: z.string(),
  DASHBOARD_URL: z.url(),
});
const client = new CognitoIdentityProviderClient(quick);

const deps = {
  pool: userPoolPasswords(client, config.USER_POOL_CLIENT_ID),
  endSessions: userPoolPeople(client, config.USER_POOL_ID).endSessions,
  rateLimits: rateLimitStore(documentClient(quick), config.RATE_LIMITS_TABLE),
  now: clock,
  count,
  sleep,
  log: (message: string, facts: object) => logger.warn(message, { ...facts }),
};

export const handler = sessionRoute(route, config.DASHBOARD_URL, async ({ body }) => {
  const result = await resetPassword(deps, body);
  switch (result.kind) {
    case 'done':
      return noContent();
    case 'wrong_code':
      return decline({ error: result.kind, message: 'The code is wrong or has expired. Request a new one.' });
    case 'weak_password':
      return weakPassword();
    case 'too_many_attempts':
      return declineTooManyAttempts(result);
  }
});
