import { CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import * as z from 'zod/mini';
import { userPoolSessions } from '../../../shared/integrations/user-pool/sessions.ts';
import { signOut as route } from '../../../shared/messages/dashboard/session.ts';
import { signOut } from '../../../shared/operations/organizations/sessions/sign-out.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { decline, noContent } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { endedSession, sessionRoute } from '../../../shared/runtime/dashboard/session-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { memberStore } from '../../../shared/stores/organizations/members.ts';
import { wireAuditedChanges } from '../../../shared/wiring/audited-changes.ts';

const config = readConfig({
  MEMBERS_TABLE: z.string(),
  AUDIT_TABLE: z.string(),
  USER_POOL_ID: z.string(),
  USER_POOL_CLIENT_ID: z.string(),
  DASHBOARD_URL: z.url(),
});
const db = documentClient(quick);

const deps = {
  pool: userPoolSessions(new CognitoIdentityProviderClient(quick), {
    poolId: config.USER_POOL_ID,
    clientId: config.USER_POOL_CLIENT_ID,
  }),
  members: memberStore(db, config.MEMBERS_TABLE),
  ...wireAuditedChanges(config, db),
};

export const handler = sessionRoute(route, config.DASHBOARD_URL, async ({ refreshToken, query }) => {
  const result = await signOut(deps, refreshToken, { everywhere: query.everywhere === 'true' });
  if (result === 'no_session')
    return decline({ error: result, message: 'There is no session, so the others were not ended. Sign in.' });
  return noContent(endedSession(config.DASHBOARD_URL));
});
