import { fileURLToPath } from 'node:url';
import { S3Client } from '@aws-sdk/client-s3';
import * as z from 'zod/mini';
import { textExtractor } from '../../../shared/documents/text-extractor.ts';
import { viewEntry } from '../../../shared/domain/organizations/assistants/assistant-view.ts';
import { memberRequest } from '../../../shared/domain/organizations/requester.ts';
import { addKnowledge as route } from '../../../shared/messages/dashboard/assistants.ts';
import { addKnowledge } from '../../../shared/operations/organizations/add-knowledge.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { answer, decline, declineTooManyAttempts } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { declineAboutAssistant } from '../../../shared/runtime/dashboard/dashboard-assistants.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { logger } from '../../../shared/runtime/logger.ts';
import { readMultipart } from '../../../shared/runtime/rest/rest-multipart.ts';
import { assistantStore } from '../../../shared/stores/organizations/assistants.ts';
import { knowledgeStore } from '../../../shared/stores/organizations/knowledge.ts';
import { organizationStore } from '../../../shared/stores/organizations/organizations.ts';
import { rateLimitStore } from '../../../shared/stores/organizations/rate-limits.ts';
import { wireAdmission } from '../../../shared/wiring/admission.ts';
import { wireAuditedChanges } from '../../../shared/wiring/audited-changes.ts';

const config = readConfig({
  MEMBERS_TABLE: z.string(),
  ORGANIZATIONS_TABLE: z.string(),
  RATE_LIMITS_TABLE: z.string(),
  ASSISTANTS_TABLE: z.string(),
  AUDIT_TABLE: z.string(),
  CALL_FILES_BUCKET: z.string(),
});
const db = documentClient(quick);

const admit = wireAdmission(config, db);
const deps = {
  organizations: organizationStore(db, config.ORGANIZATIONS_TABLE),
  rateLimits: rateLimitStore(db, config.RATE_LIMITS_TABLE),
  assistants: assistantStore(db, config.ASSISTANTS_TABLE),
  ...wireAuditedChanges(config, db),
  knowledge: knowledgeStore(new S3Client(quick), config.CALL_FILES_BUCKET),
  extract: textExtractor(fileURLToPath(new URL('extract-text.mjs', import.meta.url))),
};

export const handler = dashboardRoute(route, admit, async ({ member, actor, path, request, idempotencyKey }) => {
  const adding = await addKnowledge(deps, actor, {
    org_id: member.org_id,
    assistant_id: path.id ?? '',
    files: () => readMultipart(request),
    by: memberRequest(member, request.from),
    idempotencyKey,
  });
  if ('usage' in adding && adding.usage) logger.info('documents were read', adding.usage);
  switch (adding.kind) {
    case 'uploaded':
      return answer(201, { items: adding.entries.map(viewEntry) });
    case 'refused_files':
      return decline(adding.refusal);
    case 'org_suspended':
      return decline({ error: adding.kind, message: 'The organization is suspended; nothing is added for it.' });
    case 'too_many':
      return declineTooManyAttempts(adding);
    default:
      return declineAboutAssistant(adding.kind);
  }
});
