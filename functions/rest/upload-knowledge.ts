import { fileURLToPath } from 'node:url';
import { S3Client } from '@aws-sdk/client-s3';
import * as z from 'zod/mini';
import { textExtractor } from '../../shared/documents/text-extractor.ts';
import { NO_ROOM, restEntry } from '../../shared/domain/organizations/assistants/knowledge-file.ts';
import { uploadKnowledge } from '../../shared/operations/organizations/upload-knowledge.ts';
import { quick } from '../../shared/runtime/aws.ts';
import { readConfig } from '../../shared/runtime/config.ts';
import { documentClient } from '../../shared/runtime/dynamodb.ts';
import { logger } from '../../shared/runtime/logger.ts';
import { rateHeaders, refuseAdmission } from '../../shared/runtime/rest/rest-admission.ts';
import { readMultipart } from '../../shared/runtime/rest/rest-multipart.ts';
import { refuse, restRoute } from '../../shared/runtime/rest/rest-route.ts';
import { withBatchedReads } from '../../shared/stores/dynamodb/batched-reads.ts';
import { transactions } from '../../shared/stores/dynamodb/transaction.ts';
import { assistantStore } from '../../shared/stores/organizations/assistants.ts';
import { knowledgeStore } from '../../shared/stores/organizations/knowledge.ts';
import { rateLimitStore } from '../../shared/stores/organizations/rate-limits.ts';
import { wireKeyAdmission } from '../../shared/wiring/key-admission.ts';

const config = readConfig({
  API_KEYS_TABLE: z.string(),
  ORGANIZATIONS_TABLE: z.string(),
  RATE_LIMITS_TABLE: z.string(),
  ASSISTANTS_TABLE: z.string(),
  CALL_FILES_BUCKET: z.string(),
});
const db = documentClient(quick);
const batchedDb = withBatchedReads(db);

const deps = {
  ...wireKeyAdmission(config, batchedDb),
  rateLimits: rateLimitStore(db, config.RATE_LIMITS_TABLE),
  assistants: assistantStore(batchedDb, config.ASSISTANTS_TABLE),
  knowledge: knowledgeStore(new S3Client(quick), config.CALL_FILES_BUCKET),
  transact: transactions(db),
  extract: textExtractor(fileURLToPath(new URL('extract-text.mjs', import.meta.url))),
};

const messageOf = {
  assistant_not_found: 'There is no assistant with this id.',
  knowledge_base_full: NO_ROOM,
} as const;

export const handler = restRoute(async (request) => {
  const uploading = await uploadKnowledge(deps, {
    authorization: request.headers.authorization,
    from: request.from,
    assistantId: request.path.id ?? '',
    files: () => readMultipart(request),
  });
  const headers = 'rate' in uploading ? rateHeaders(uploading.rate) : {};
  if ('usage' in uploading && uploading.usage) logger.info('documents were read', uploading.usage);
  switch (uploading.kind) {
    case 'uploaded':
      return { status: 200, headers, body: uploading.entries.map(restEntry) };
    case 'refused_files':
      return refuse(uploading.refusal, headers);
    case 'assistant_not_found':
    case 'knowledge_base_full':
      return refuse({ error: uploading.kind, message: messageOf[uploading.kind] }, headers);
    default:
      return refuseAdmission(uploading, headers);
  }
});
