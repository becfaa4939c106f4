import * as z from 'zod/mini';
import { viewMe } from '../../../shared/domain/organizations/members/member-view.ts';
import { updateMe as route } from '../../../shared/messages/dashboard/people.ts';
import { memberAdmission } from '../../../shared/operations/organizations/members/admit-member.ts';
import { showMe } from '../../../shared/operations/organizations/members/show-me.ts';
import { updateMe } from '../../../shared/operations/organizations/members/update-me.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { answer, decline } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { memberStore } from '../../../shared/stores/organizations/members.ts';
import { organizationStore } from '../../../shared/stores/organizations/organizations.ts';
import { wireAuditedChanges } from '../../../shared/wiring/audited-changes.ts';

const config = readConfig({
  MEMBERS_TABLE: z.string(),
  ORGANIZATIONS_TABLE: z.string(),
  AUDIT_TABLE: z.string(),
  STAGE_NAME: z.string(),
});
const db = documentClient(quick);

const members = memberStore(db, config.MEMBERS_TABLE);
const deps = {
  members,
  organizations: organizationStore(db, config.ORGANIZATIONS_TABLE),
  ...wireAuditedChanges(config, db),
};

export const handler = dashboardRoute(route, memberAdmission({ members }), async ({ member, body }) => {
  const shown = await showMe(deps, member);
  const result = await updateMe(deps, member, shown.org, body);
  switch (result.kind) {
    case 'updated':
      return answer(200, viewMe(result.member, { ...shown, stage: config.STAGE_NAME }));
    case 'invalid_phone_number': {
      const message = 'This phone number cannot be dialed.';
      return decline({ error: result.kind, message, fields: [{ path: 'phone', message }] });
    }
    case 'no_membership':
      return decline({ error: result.kind, message: 'You are no longer a member of an organization.' });
  }
});
