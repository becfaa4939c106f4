import { S3Client } from '@aws-sdk/client-s3';
import * as z from 'zod/mini';
import { showKnowledge as route } from '../../../shared/messages/dashboard/assistants.ts';
import { showKnowledge } from '../../../shared/operations/organizations/show-knowledge.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { answer } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { declineAboutAssistant } from '../../../shared/runtime/dashboard/dashboard-assistants.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { assistantStore } from '../../../shared/stores/organizations/assistants.ts';
import { knowledgeStore } from '../../../shared/stores/organizations/knowledge.ts';
import { wireAdmission } from '../../../shared/wiring/admission.ts';

const config = readConfig({ MEMBERS_TABLE: z.string(), ASSISTANTS_TABLE: z.string(), CALL_FILES_BUCKET: z.string() });
const db = documentClient(quick);

const admit = wireAdmission(config, db);
const deps = {
  assistants: assistantStore(db, config.ASSISTANTS_TABLE),
  knowledge: knowledgeStore(new S3Client(quick), config.CALL_FILES_BUCKET),
};

export const handler = dashboardRoute(route, admit, async ({ member, path }) => {
  const { id: assistant_id = '', entryId: entry_id = '' } = path;
  const shown = await showKnowledge(deps, { org_id: member.org_id, assistant_id, entry_id });
  if (shown.kind !== 'shown') return declineAboutAssistant(shown.kind);
  return answer(200, { filename: shown.entry.filename, text: shown.text, is_cut: shown.isCut });
});
