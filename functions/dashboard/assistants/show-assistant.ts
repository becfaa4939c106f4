import * as z from 'zod/mini';
import { viewAssistant } from '../../../shared/domain/organizations/assistants/assistant-view.ts';
import { showAssistant } from '../../../shared/messages/dashboard/assistants.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { answer } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { declineAboutAssistant } from '../../../shared/runtime/dashboard/dashboard-assistants.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { connectionStore } from '../../../shared/stores/connections/connections.ts';
import { assistantStore } from '../../../shared/stores/organizations/assistants.ts';
import { wireAdmission } from '../../../shared/wiring/admission.ts';

const config = readConfig({ MEMBERS_TABLE: z.string(), ASSISTANTS_TABLE: z.string(), CONNECTIONS_TABLE: z.string() });
const db = documentClient(quick);

const admit = wireAdmission(config, db);
const assistants = assistantStore(db, config.ASSISTANTS_TABLE);
const connections = connectionStore(db, config.CONNECTIONS_TABLE);

export const handler = dashboardRoute(showAssistant, admit, async ({ member, path }) => {
  const id = path.id ?? '';
  const [assistant, all] = await Promise.all([assistants.get(id), connections.listToShow(member.org_id)]);
  if (assistant?.org_id !== member.org_id) return declineAboutAssistant('assistant_not_found');
  const using = [...all.known, ...all.newer].filter(({ assistant_id }) => assistant_id === id);
  return answer(200, {
    ...viewAssistant(assistant),
    connections: using.map(({ connection_id, type }) => ({ connection_id, type })),
  });
});
