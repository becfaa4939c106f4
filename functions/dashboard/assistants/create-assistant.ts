import * as z from 'zod/mini';
import { newToken } from '../../../shared/domain/ids.ts';
import type { Definition } from '../../../shared/domain/organizations/assistants/assistant-definition.ts';
import { viewAssistant } from '../../../shared/domain/organizations/assistants/assistant-view.ts';
import { createAssistant as route } from '../../../shared/messages/dashboard/assistants.ts';
import { createAssistant } from '../../../shared/operations/organizations/create-assistant.ts';
import { memberAdmission } from '../../../shared/operations/organizations/members/admit-member.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { clock } from '../../../shared/runtime/clock.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { answer } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { declineAboutAssistant, declineTransfer } from '../../../shared/runtime/dashboard/dashboard-assistants.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { transactions } from '../../../shared/stores/dynamodb/transaction.ts';
import { assistantStore } from '../../../shared/stores/organizations/assistants.ts';
import { auditStore } from '../../../shared/stores/organizations/audit.ts';
import { memberStore } from '../../../shared/stores/organizations/members.ts';
import { organizationStore } from '../../../shared/stores/organizations/organizations.ts';

const config = readConfig({
  MEMBERS_TABLE: z.string(),
  ORGANIZATIONS_TABLE: z.string(),
  ASSISTANTS_TABLE: z.string(),
  AUDIT_TABLE: z.string(),
});
const db = documentClient(quick);

const admit = memberAdmission({ members: memberStore(db, config.MEMBERS_TABLE) });
const deps = {
  organizations: organizationStore(db, config.ORGANIZATIONS_TABLE),
  assistants: assistantStore(db, config.ASSISTANTS_TABLE),
  audit: auditStore(db, config.AUDIT_TABLE),
  transact: transactions(db),
  now: clock,
  newToken,
};

export const handler = dashboardRoute(route, admit, async ({ member, actor, body, idempotencyKey }) => {
  const definition = body as Definition & { name: string };
  const created = await createAssistant(deps, actor, { ...definition, org_id: member.org_id }, idempotencyKey);
  if (created.kind === 'destination_not_allowed') return declineTransfer(created.message);
  if (created.kind !== 'created') return declineAboutAssistant(created.kind);
  return answer(201, viewAssistant(created.assistant));
});
