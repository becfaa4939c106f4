import * as z from 'zod/mini';
import type { Assistant } from '../../../shared/domain/organizations/assistants/assistant.ts';
import { editsSince, viewAssistant } from '../../../shared/domain/organizations/assistants/assistant-view.ts';
import { changeOf, updateAssistant as route } from '../../../shared/messages/dashboard/assistants.ts';
import { updateAssistant } from '../../../shared/operations/organizations/update-assistant.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { answer, decline } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
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

export const handler = dashboardRoute(route, admit, async ({ member, actor, path, body }) => {
  const change = { assistant_id: path.id ?? '', org_id: member.org_id, ...changeOf(body) };
  const updated = await updateAssistant(deps, actor, change);
  switch (updated.kind) {
    case 'updated':
      return answer(200, viewAssistant(updated.assistant));
    case 'changed_meanwhile':
      return declineLateEdit(updated.assistant, body.revision);
    case 'destination_not_allowed':
      return declineTransfer(updated.message);
    default:
      return declineAboutAssistant(updated.kind);
  }
});

/** Lists the changes since the revision that the person has seen, with their authors. */
function declineLateEdit(assistant: Assistant, revision: number) {
  const { updated_by = 'Another person', updated_at = assistant.created_at } = assistant;
  const fields = editsSince(assistant, revision).map(({ name, by }) => ({ path: name, message: `Changed by ${by}.` }));
  const what = fields.map(({ path }) => path).join(', ') || 'this assistant';
  return decline({ error: 'changed_meanwhile', message: `${updated_by} changed ${what} at ${updated_at}.`, fields });
}
