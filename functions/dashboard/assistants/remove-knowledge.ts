import { S3Client } from '@aws-sdk/client-s3';
import * as z from 'zod/mini';
import { removeKnowledge as route } from '../../../shared/messages/dashboard/assistants.ts';
import { removeKnowledge } from '../../../shared/operations/organizations/remove-knowledge.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { noContent } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { declineAboutAssistant } from '../../../shared/runtime/dashboard/dashboard-assistants.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { assistantStore } from '../../../shared/stores/organizations/assistants.ts';
import { knowledgeStore } from '../../../shared/stores/organizations/knowledge.ts';
import { wireAdmission } from '../../../shared/wiring/admission.ts';
import { wireAuditedChanges } from '../../../shared/wiring/audited-changes.ts';

const config = readConfig({
  MEMBERS_TABLE: z.string(),
  ASSISTANTS_TABLE: z.string(),
  AUDIT_TABLE: z.string(),
  CALL_FILES_BUCKET: z.string(),
});
const db = documentClient(quick);

const admit = wireAdmission(config, db);
const deps = {
  assistants: assistantStore(db, config.ASSISTANTS_TABLE),
  knowledge: knowledgeStore(new S3Client(quick), config.CALL_FILES_BUCKET),
  ...wireAuditedChanges(config, db),
};

export const handler = dashboardRoute(route, admit, async ({ member, actor, path }) => {
  const { id: assistant_id = '', entryId: entry_id = '' } = path;
  const { kind } = await removeKnowledge(deps, actor, { org_id: member.org_id, assistant_id, entry_id });
  return kind === 'removed' ? noContent() : declineAboutAssistant(kind);
});
