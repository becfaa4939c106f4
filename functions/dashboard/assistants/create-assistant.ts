import * as z from 'zod/mini';
import type { Definition } from '../../../shared/domain/organizations/assistants/assistant-definition.ts';
import { viewAssistant } from '../../../shared/domain/organizations/assistants/assistant-view.ts';
import { createAssistant as route } from '../../../shared/messages/dashboard/assistants.ts';
import { createAssistant } from '../../../shared/operations/organizations/create-assistant.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { answer } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { declineAboutAssistant, declineTransfer } from '../../../shared/runtime/dashboard/dashboard-assistants.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { assistantStore } from '../../../shared/stores/organizations/assistants.ts';
import { organizationStore } from '../../../shared/stores/organizations/organizations.ts';
import { wireAdmission } from '../../../shared/wiring/admission.ts';
import { wireAuditedChanges } from '../../../shared/wiring/audited-changes.ts';

const config = readConfig({
  MEMBERS_TABLE: z.string(),
  ORGANIZATIONS_TABLE: z.string(),
  ASSISTANTS_TABLE: z.string(),
  AUDIT_TABLE: z.string(),
});
const db = documentClient(quick);

const admit = wireAdmission(config, db);
const deps = {
  organizations: organizationStore(db, config.ORGANIZATIONS_TABLE),
  assistants: assistantStore(db, config.ASSISTANTS_TABLE),
  ...wireAuditedChanges(config, db),
};

export const handler = dashboardRoute(route, admit, async ({ member, actor, body, idempotencyKey }) => {
  const definition = body as Definition & { name: string };
  const created = await createAssistant(deps, actor, { ...definition, org_id: member.org_id }, idempotencyKey);
  if (created.kind === 'destination_not_allowed') return declineTransfer(created.message);
  if (created.kind !== 'created') return declineAboutAssistant(created.kind);
  return answer(201, viewAssistant(created.assistant));
});
