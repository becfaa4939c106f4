import { KMSClient } from '@aws-sdk/client-kms';
import * as z from 'zod/mini';
import { newToken } from '../../../shared/domain/ids.ts';
import { revealCallbackSecret as route } from '../../../shared/messages/dashboard/organization.ts';
import { memberAdmission } from '../../../shared/operations/organizations/members/admit-member.ts';
import { revealCallbackSecret } from '../../../shared/operations/organizations/reveal-callback-secret.ts';
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
import { callbackSecretContext, unseal } from '../../../shared/stores/sealing.ts';

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
  unseal: (orgId: string, sealed: string) =>
    unseal(kms, config.CALLBACK_SECRETS_KEY_ID, sealed, callbackSecretContext(orgId)),
  now: clock,
  newToken,
};

export const handler = dashboardRoute(route, admit, async ({ member, actor }) => {
  const result = await revealCallbackSecret(deps, actor, member.org_id);
  switch (result.kind) {
    case 'revealed':
      return answer(200, { secret: result.secret });
    case 'no_callback_secret':
      return decline({ error: result.kind, message: 'There is no callback secret yet. Replace it to create one.' });
    case 'org_not_found':
      return declineWithoutOrg();
  }
});
