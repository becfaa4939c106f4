import { CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import * as z from 'zod/mini';
import { userPoolPasswords } from '../../../shared/integrations/user-pool/passwords.ts';
import { changePassword as route } from '../../../shared/messages/dashboard/session.ts';
import { changePassword } from '../../../shared/operations/organizations/sessions/passwords.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { clock, sleep } from '../../../shared/runtime/clock.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import {
  decline,
  declineTooManyAttempts,
  noContent,
  weakPassword,
} from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { logger } from '../../../shared/runtime/logger.ts';
import { count } from '../../../shared/runtime/metrics.ts';
import { rateLimitStore } from '../../../shared/stores/organizations/rate-limits.ts';
import { wireAdmission } from '../../../shared/wiring/admission.ts';

const config = readConfig({
  MEMBERS_TABLE: z.string(),
  RATE_LIMITS_TABLE: z.string(),
  USER_POOL_CLIENT_ID: z.string(),
});
const db = documentClient(quick);

const deps = {
  pool: userPoolPasswords(new CognitoIdentityProviderClient(quick), config.USER_POOL_CLIENT_ID),
  rateLimits: rateLimitStore(db, config.RATE_LIMITS_TABLE),
  now: clock,
  count,
  sleep,
  log: (message: string, facts: object) => logger.warn(message, { ...facts }),
};
const admit = wireAdmission(config, db);

export const handler = dashboardRoute(route, admit, async ({ member: { email }, body, accessToken }) => {
  const result = await changePassword(deps, { email, accessToken }, body);
  switch (result.kind) {
    case 'done':
      return noContent();
    case 'wrong_credentials': {
      const message = 'The current password is wrong.';
      return decline({ error: 'invalid_request', message, fields: [{ path: 'password', message }] });
    }
    case 'weak_password':
      return weakPassword();
    case 'too_many_attempts':
      return declineTooManyAttempts(result);
  }
});
