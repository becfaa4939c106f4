import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import { viewOrganization } from '../../../shared/domain/organizations/organization-view.ts';
import type { SlotsWork } from '../../../shared/messages/call-work.ts';
import { updateOrganization as route } from '../../../shared/messages/dashboard/organization.ts';
import { readOrganizationChange } from '../../../shared/operations/organizations/steps/read-organization-change.ts';
import { updateOrganization } from '../../../shared/operations/organizations/update-organization.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { clock } from '../../../shared/runtime/clock.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { answer, decline, declineWithoutOrg } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { organizationStore } from '../../../shared/stores/organizations/organizations.ts';
import { queueSender } from '../../../shared/stores/queue.ts';
import { wireAdmission } from '../../../shared/wiring/admission.ts';
import { wireAuditedChanges } from '../../../shared/wiring/audited-changes.ts';

const config = readConfig({
  MEMBERS_TABLE: z.string(),
  ORGANIZATIONS_TABLE: z.string(),
  AUDIT_TABLE: z.string(),
  SLOTS_QUEUE_URL: z.string(),
  MAIL_FROM: z.optional(z.string()),
});
const db = documentClient(quick);

const admit = wireAdmission(config, db);
const slotsQueue = queueSender<SlotsWork>(new SQSClient(quick), config.SLOTS_QUEUE_URL);
const deps = {
  organizations: organizationStore(db, config.ORGANIZATIONS_TABLE),
  ...wireAuditedChanges(config, db),
  handOverSlots: (work: SlotsWork) => slotsQueue.send(work),
};

export const handler = dashboardRoute(route, admit, async ({ member: { org_id }, actor, body }) => {
  const { revision, ...wanted } = body;
  const org = await deps.organizations.get(org_id);
  if (!org) return declineWithoutOrg();
  const read = readOrganizationChange(org, wanted);
  if (read.kind === 'wrong')
    return decline({ error: 'invalid_request', message: 'Some settings cannot be saved.', fields: read.wrong });
  const result = await updateOrganization(deps, actor, { org_id }, read.change, revision);
  switch (result.kind) {
    case 'updated':
      return answer(200, viewOrganization(result.org, clock(), config.MAIL_FROM));
    case 'changed_meanwhile': {
      const who = result.org.updated_by ?? 'Another person';
      return decline({ error: result.kind, message: `${who} has changed these settings since. Nothing was saved.` });
    }
    case 'org_not_found':
      return declineWithoutOrg();
  }
});
