import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import { S3Client } from '@aws-sdk/client-s3';
import * as z from 'zod/mini';
import { ANALYSIS_SPACING_SECONDS } from '../../shared/domain/after-call/analysis/requested-analysis.ts';
import { viewAnalysis } from '../../shared/domain/calls/call-view.ts';
import { bedrockAnalyst } from '../../shared/integrations/model/bedrock.ts';
import { analyzeCall } from '../../shared/operations/after-call/analyze-call.ts';
import { languageModel, quick } from '../../shared/runtime/aws.ts';
import { integer, readConfig } from '../../shared/runtime/config.ts';
import { documentClient } from '../../shared/runtime/dynamodb.ts';
import { logger } from '../../shared/runtime/logger.ts';
import { rateHeaders, refuseAdmission, refuseTooOften } from '../../shared/runtime/rest/rest-admission.ts';
import { refuse, restRoute } from '../../shared/runtime/rest/rest-route.ts';
import { callStore } from '../../shared/stores/calls/calls.ts';
import { callFiles } from '../../shared/stores/calls/files/call-files.ts';
import { usageStore } from '../../shared/stores/calls/usage.ts';
import { withBatchedReads } from '../../shared/stores/dynamodb/batched-reads.ts';
import { transactions } from '../../shared/stores/dynamodb/transaction.ts';
import { assistantStore } from '../../shared/stores/organizations/assistants.ts';
import { rateLimitStore } from '../../shared/stores/organizations/rate-limits.ts';
import { wireDoNotCall } from '../../shared/wiring/do-not-call.ts';
import { wireKeyAdmission } from '../../shared/wiring/key-admission.ts';

const config = readConfig({
  API_KEYS_TABLE: z.string(),
  ORGANIZATIONS_TABLE: z.string(),
  RATE_LIMITS_TABLE: z.string(),
  CALLS_TABLE: z.string(),
  USAGE_TABLE: z.string(),
  ASSISTANTS_TABLE: z.string(),
  DO_NOT_CALL_TABLE: z.string(),
  DO_NOT_CALL_KEY_ID: z.string(),
  CALL_FILES_BUCKET: z.string(),
  MODEL_ID: z.string(),
  MODEL_TIMEOUT_MS: integer,
});
const db = documentClient(quick);
const batchedDb = withBatchedReads(db);
const client = new BedrockRuntimeClient(languageModel);

const deps = {
  ...wireKeyAdmission(config, batchedDb),
  rateLimits: rateLimitStore(db, config.RATE_LIMITS_TABLE),
  calls: callStore(batchedDb, config.CALLS_TABLE),
  usage: usageStore(db, config.USAGE_TABLE),
  assistants: assistantStore(batchedDb, config.ASSISTANTS_TABLE),
  doNotCall: wireDoNotCall(config, db, quick),
  files: callFiles(new S3Client(quick), config.CALL_FILES_BUCKET),
  analystWithin: (timeoutMs: number) => bedrockAnalyst({ client, modelId: config.MODEL_ID, timeoutMs }),
  modelTimeoutMs: config.MODEL_TIMEOUT_MS,
  transact: transactions(db),
};

const RETRY_AFTER_SECONDS = String(ANALYSIS_SPACING_SECONDS);
const messageOf = {
  call_not_found: 'There is no call with this id.',
  transcript_not_available: 'The call has no transcript, so there is nothing to analyze.',
  analysis_failed: 'The language model gave no valid answer.',
  service_unavailable: 'The language model is busy or cannot be reached. Try again in a moment.',
};

export const handler = restRoute(async ({ headers: { authorization }, path }) => {
  const began = performance.now();
  const elapsedMs = () => performance.now() - began;
  const reading = await analyzeCall({ ...deps, elapsedMs }, authorization, path.id ?? '');
  const headers = 'rate' in reading ? rateHeaders(reading.rate) : {};
  const refuseWith = (error: keyof typeof messageOf, more = {}) =>
    refuse({ error, message: messageOf[error] }, { ...headers, ...more });
  if (reading.kind === 'call_not_found') return refuseWith(reading.kind);
  if (reading.kind !== 'found') return refuseAdmission(reading, headers);

  const { analysis } = reading;
  const { call_id } = reading.call;
  if (analysis.kind === 'analyzed')
    return { status: 200, headers, body: { call_id, analysis: viewAnalysis(analysis.result) } };
  logger.warn('not analyzed', { call_id, outcome: analysis.kind, reason: analysis.reason });
  if (analysis.kind === 'too_often') return refuseTooOften(analysis, headers);
  if (analysis.kind === 'no_transcript') return refuseWith('transcript_not_available');
  if (analysis.kind === 'invalid') return refuseWith('analysis_failed');
  return refuseWith('service_unavailable', { 'retry-after': RETRY_AFTER_SECONDS });
});
