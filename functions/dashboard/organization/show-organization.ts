import * as z from 'zod/mini';
import { viewOrganization } from '../../../shared/domain/organizations/organization-view.ts';
import { showOrganization } from '../../../shared/messages/dashboard/organization.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { clock } from '../../../shared/runtime/clock.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { answer, declineWithoutOrg } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { organizationStore } from '../../../shared/stores/organizations/organizations.ts';
import { wireAdmission } from '../../../shared/wiring/admission.ts';

const config = readConfig({
  MEMBERS_TABLE: z.string(),
  ORGANIZATIONS_TABLE: z.string(),
  MAIL_FROM: z.optional(z.string()),
});
const db = documentClient(quick);

const admit = wireAdmission(config, db);
const organizations = organizationStore(db, config.ORGANIZATIONS_TABLE);

export const handler = dashboardRoute(showOrganization, admit, async ({ member }) => {
  const org = await organizations.get(member.org_id);
  return org ? answer(200, viewOrganization(org, clock(), config.MAIL_FROM)) : declineWithoutOrg();
});
