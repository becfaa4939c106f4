import { KMSClient } from '@aws-sdk/client-kms';
import * as z from 'zod/mini';
import { newToken } from '../../../shared/domain/ids.ts';
import { rotateCallbackSecret as route } from '../../../shared/messages/dashboard/organization.ts';
import { memberAdmission } from '../../../shared/operations/organizations/members/admit-member.ts';
import { rotateCallbackSecret } from '../../../shared/operations/organizations/rotate-callback-secret.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { clock } from '../../../shared/runtime/clock.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { answer, decline, declineWithoutOrg } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { transactions } from '../../../shared/stores/dynamodb/transaction.ts';
import { auditStore } from '../../../shared/stores/organizations/audit.ts';
import { memberStore } from '../../../shared/stores/organizations/members.ts';
import { organizationStore } from '../../../shared/stores/organizations/organizations.ts';
import { callbackSecretContext, seal } from '../../../shared/stores/sealing.ts';

const config = readConfig({
  MEMBERS_TABLE: z.string(),
  ORGANIZATIONS_TABLE: z.string(),
  AUDIT_TABLE: z.string(),
  CALLBACK_SECRETS_KEY_ID: z.string(),
});
const db = documentClient(quick);
const kms = new KMSClient(quick);

const admit = memberAdmission({ members: memberStore(db, config.MEMBERS_TABLE) });
const deps = {
  organizations: organizationStore(db, config.ORGANIZATIONS_TABLE),
  audit: auditStore(db, config.AUDIT_TABLE),
  transact: transactions(db),
  seal: (orgId: string, secret: string) =>
    seal(kms, config.CALLBACK_SECRETS_KEY_ID, secret, callbackSecretContext(orgId)),
  now: clock,
  newToken,
};

export const handler = dashboardRoute(route, admit, async ({ member, actor }) => {
  const result = await rotateCallbackSecret(deps, actor, member.org_id);
  switch (result.kind) {
    case 'rotated':
      return answer(200, { secret: result.secret, former_until: result.former_until ?? null });
    case 'changed_meanwhile':
      return decline({
        error: result.kind,
        message: 'Another person replaced the secret at the same time. Check it again.',
      });
    case 'org_not_found':
      return declineWithoutOrg();
  }
});
