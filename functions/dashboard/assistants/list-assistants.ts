import * as z from 'zod/mini';
import { viewAssistantRow } from '../../../shared/domain/organizations/assistants/assistant-view.ts';
import { listAssistants } from '../../../shared/messages/dashboard/assistants.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { answer } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { cursorOf, limitOf, readCursor, writeCursor } from '../../../shared/runtime/dashboard/dashboard-input.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { assistantStore } from '../../../shared/stores/organizations/assistants.ts';
import { wireAdmission } from '../../../shared/wiring/admission.ts';

const config = readConfig({ MEMBERS_TABLE: z.string(), ASSISTANTS_TABLE: z.string() });
const db = documentClient(quick);

const assistants = assistantStore(db, config.ASSISTANTS_TABLE);
const admit = wireAdmission(config, db);
const cursor = cursorOf('assistant_id', 'created_at');

export const handler = dashboardRoute(listAssistants, admit, async ({ member, query }) => {
  const after = readCursor(cursor, query.next);
  if (!after.ok) return after.answer;
  const { items, last } = await assistants.page(member.org_id, limitOf(query), after.value);
  const next = last && items.at(-1);
  return answer(200, {
    items: items.map(viewAssistantRow),
    next: writeCursor(next && { assistant_id: next.assistant_id, created_at: next.created_at }),
  });
});
