import { CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import * as z from 'zod/mini';
import { userPoolPeople } from '../../../shared/integrations/user-pool/people.ts';
import { removeMember as route } from '../../../shared/messages/dashboard/people.ts';
import { memberAdmission } from '../../../shared/operations/organizations/members/admit-member.ts';
import { removeMember } from '../../../shared/operations/organizations/members/remove-member.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { declineAboutMember, noContent } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { memberStore } from '../../../shared/stores/organizations/members.ts';
import { organizationStore } from '../../../shared/stores/organizations/organizations.ts';
import { wireAuditedChanges } from '../../../shared/wiring/audited-changes.ts';

const config = readConfig({
  MEMBERS_TABLE: z.string(),
  ORGANIZATIONS_TABLE: z.string(),
  AUDIT_TABLE: z.string(),
  USER_POOL_ID: z.string(),
});
const db = documentClient(quick);

const members = memberStore(db, config.MEMBERS_TABLE);
const deps = {
  pool: userPoolPeople(new CognitoIdentityProviderClient(quick), config.USER_POOL_ID),
  members,
  organizations: organizationStore(db, config.ORGANIZATIONS_TABLE),
  ...wireAuditedChanges(config, db),
};

export const handler = dashboardRoute(route, memberAdmission({ members }), async ({ member, actor, path }) => {
  const { org_id, role } = member;
  const { kind } = await removeMember(deps, { actor, role }, { org_id, user_id: path.id ?? '' });
  return kind === 'removed' ? noContent() : declineAboutMember(kind);
});
