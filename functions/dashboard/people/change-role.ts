import * as z from 'zod/mini';
import { viewMember } from '../../../shared/domain/organizations/members/member-view.ts';
import { changeRole as route } from '../../../shared/messages/dashboard/people.ts';
import { memberAdmission } from '../../../shared/operations/organizations/members/admit-member.ts';
import { changeRole } from '../../../shared/operations/organizations/members/change-role.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { answer, declineAboutMember } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { memberStore } from '../../../shared/stores/organizations/members.ts';
import { organizationStore } from '../../../shared/stores/organizations/organizations.ts';
import { wireAuditedChanges } from '../../../shared/wiring/audited-changes.ts';

const config = readConfig({ MEMBERS_TABLE: z.string(), ORGANIZATIONS_TABLE: z.string(), AUDIT_TABLE: z.string() });
const db = documentClient(quick);

const members = memberStore(db, config.MEMBERS_TABLE);
const deps = {
  members,
  organizations: organizationStore(db, config.ORGANIZATIONS_TABLE),
  ...wireAuditedChanges(config, db),
};

export const handler = dashboardRoute(route, memberAdmission({ members }), async ({ member, actor, path, body }) => {
  const { org_id, role } = member;
  const result = await changeRole(deps, { actor, role }, { org_id, user_id: path.id ?? '', role: body.role });
  return result.kind === 'changed' ? answer(200, viewMember(result.member)) : declineAboutMember(result.kind);
});
