import { CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import * as z from 'zod/mini';
import { viewMember } from '../../../shared/domain/organizations/members/member-view.ts';
import { newFirstPassword } from '../../../shared/domain/organizations/members/password.ts';
import { userPoolPeople } from '../../../shared/integrations/user-pool/people.ts';
import { inviteMember as route } from '../../../shared/messages/dashboard/people.ts';
import { memberAdmission } from '../../../shared/operations/organizations/members/admit-member.ts';
import { inviteMember } from '../../../shared/operations/organizations/members/invite-member.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { flag, readConfig } from '../../../shared/runtime/config.ts';
import { answer, decline, declineTooManyAttempts } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { memberStore } from '../../../shared/stores/organizations/members.ts';
import { organizationStore } from '../../../shared/stores/organizations/organizations.ts';
import { rateLimitStore } from '../../../shared/stores/organizations/rate-limits.ts';
import { wireAuditedChanges } from '../../../shared/wiring/audited-changes.ts';

const config = readConfig({
  MEMBERS_TABLE: z.string(),
  ORGANIZATIONS_TABLE: z.string(),
  AUDIT_TABLE: z.string(),
  RATE_LIMITS_TABLE: z.string(),
  USER_POOL_ID: z.string(),
  SHOW_FIRST_PASSWORDS: flag,
});
const db = documentClient(quick);

const members = memberStore(db, config.MEMBERS_TABLE);
const deps = {
  pool: userPoolPeople(new CognitoIdentityProviderClient(quick), config.USER_POOL_ID),
  members,
  organizations: organizationStore(db, config.ORGANIZATIONS_TABLE),
  ...wireAuditedChanges(config, db),
  rateLimits: rateLimitStore(db, config.RATE_LIMITS_TABLE),
  ...(config.SHOW_FIRST_PASSWORDS && { firstPassword: newFirstPassword }),
};

const messageOf = {
  not_permitted: 'Only an owner may invite an owner.',
  invalid_email: 'This is not an e-mail address.',
  address_in_use: 'This person is a member already, or belongs to another organization.',
} as const;

export const handler = dashboardRoute(route, memberAdmission({ members }), async ({ member, actor, body }) => {
  const result = await inviteMember(deps, { actor, role: member.role }, { org_id: member.org_id, ...body });
  switch (result.kind) {
    case 'invited':
      return answer(result.isRepeat ? 200 : 201, {
        member: viewMember(result.member),
        is_repeat: result.isRepeat,
        ...(result.firstPassword && { first_password: result.firstPassword }),
      });
    case 'too_many_invitations':
      return declineTooManyAttempts(result);
    case 'invalid_email': {
      const message = messageOf[result.kind];
      return decline({ error: 'invalid_request', message, fields: [{ path: 'email', message }] });
    }
    default:
      return decline({ error: result.kind, message: messageOf[result.kind] });
  }
});
