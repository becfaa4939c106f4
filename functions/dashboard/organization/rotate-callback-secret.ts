import { KMSClient } from '@aws-sdk/client-kms';
import * as z from 'zod/mini';
import { rotateCallbackSecret as route } from '../../../shared/messages/dashboard/organization.ts';
import { rotateCallbackSecret } from '../../../shared/operations/organizations/callback-secret.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { answer, decline, declineWithoutOrg } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { organizationStore } from '../../../shared/stores/organizations/organizations.ts';
import { callbackSecretContext, seal } from '../../../shared/stores/sealing.ts';
import { wireAdmission } from '../../../shared/wiring/admission.ts';
import { wireAuditedChanges } from '../../../shared/wiring/audited-changes.ts';

const config = readConfig({
  MEMBERS_TABLE: z.string(),
  ORGANIZATIONS_TABLE: z.string(),
  AUDIT_TABLE: z.string(),
  CALLBACK_SECRETS_KEY_ID: z.string(),
});
const db = documentClient(quick);
const kms = new KMSClient(quick);

const admit = wireAdmission(config, db);
const deps = {
  organizations: organizationStore(db, config.ORGANIZATIONS_TABLE),
  ...wireAuditedChanges(config, db),
  seal: (orgId: string, secret: string) =>
    seal(kms, config.CALLBACK_SECRETS_KEY_ID, secret, callbackSecretContext(orgId)),
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
