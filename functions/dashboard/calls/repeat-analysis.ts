import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import { S3Client } from '@aws-sdk/client-s3';
import * as z from 'zod/mini';
import { ANALYSIS_SPACING_SECONDS } from '../../../shared/domain/after-call/analysis/requested-analysis.ts';
import { bedrockAnalyst } from '../../../shared/integrations/model/bedrock.ts';
import { repeatAnalysis as route } from '../../../shared/messages/dashboard/call-actions.ts';
import { repeatAnalysis } from '../../../shared/operations/after-call/repeat-analysis.ts';
import { languageModel, quick } from '../../../shared/runtime/aws.ts';
import { integer, readConfig } from '../../../shared/runtime/config.ts';
import { answer, decline, declineAboutCall } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { logger } from '../../../shared/runtime/logger.ts';
import { callStore } from '../../../shared/stores/calls/calls.ts';
import { callFiles } from '../../../shared/stores/calls/files/call-files.ts';
import { usageStore } from '../../../shared/stores/calls/usage.ts';
import { assistantStore } from '../../../shared/stores/organizations/assistants.ts';
import { organizationStore } from '../../../shared/stores/organizations/organizations.ts';
import { rateLimitStore } from '../../../shared/stores/organizations/rate-limits.ts';
import { wireAdmission } from '../../../shared/wiring/admission.ts';
import { wireAuditedChanges } from '../../../shared/wiring/audited-changes.ts';
import { wireDoNotCall } from '../../../shared/wiring/do-not-call.ts';

const config = readConfig({
  MEMBERS_TABLE: z.string(),
  ORGANIZATIONS_TABLE: z.string(),
  RATE_LIMITS_TABLE: z.string(),
  CALLS_TABLE: z.string(),
  ASSISTANTS_TABLE: z.string(),
  USAGE_TABLE: z.string(),
  DO_NOT_CALL_TABLE: z.string(),
  DO_NOT_CALL_KEY_ID: z.string(),
  AUDIT_TABLE: z.string(),
  CALL_FILES_BUCKET: z.string(),
  MODEL_ID: z.string(),
  MODEL_TIMEOUT_MS: integer,
});
const db = documentClient(quick);
const client = new BedrockRuntimeClient(languageModel);

const admit = wireAdmission(config, db);
const deps = {
  organizations: organizationStore(db, config.ORGANIZATIONS_TABLE),
  rateLimits: rateLimitStore(db, config.RATE_LIMITS_TABLE),
  calls: callStore(db, config.CALLS_TABLE),
  assistants: assistantStore(db, config.ASSISTANTS_TABLE),
  doNotCall: wireDoNotCall(config, db, quick),
  usage: usageStore(db, config.USAGE_TABLE),
  files: callFiles(new S3Client(quick), config.CALL_FILES_BUCKET),
  analystWithin: (timeoutMs: number) => bedrockAnalyst({ client, modelId: config.MODEL_ID, timeoutMs }),
  modelTimeoutMs: config.MODEL_TIMEOUT_MS,
  ...wireAuditedChanges(config, db),
};

const BUSY = 'The language model is busy or cannot be reached. Try again in a moment.';
/** The shortest interval between two analyses of a call. */
const RETRY_AFTER_SECONDS = String(ANALYSIS_SPACING_SECONDS);
/** The time allowed for the admission, which has run before this code. */
const ADMISSION_MS = 500;

export const handler = dashboardRoute(route, admit, async ({ member, actor, path }) => {
  const began = performance.now() - ADMISSION_MS;
  const elapsedMs = () => performance.now() - began;
  const of = { org_id: member.org_id, call_id: path.id ?? '' };
  const analysis = await repeatAnalysis({ ...deps, elapsedMs }, actor, of);
  if (analysis.kind === 'call_not_found') return declineAboutCall(analysis.kind);
  if (analysis.kind === 'org_suspended')
    return decline({ error: analysis.kind, message: 'The organization is suspended; no call is analyzed for it.' });
  if (analysis.kind === 'too_often')
    return decline(
      { error: 'rate_limit_exceeded', message: analysis.reason },
      { 'retry-after': String(analysis.retryAfterSeconds) },
    );
  if (analysis.kind === 'analyzed') return answer(200, { result: analysis.result });
  logger.warn('not analyzed', { call_id: of.call_id, outcome: analysis.kind, reason: analysis.reason });
  if (analysis.kind === 'no_transcript') return declineAboutCall('transcript_not_available');
  if (analysis.kind === 'invalid') return declineAboutCall('analysis_failed');
  return decline({ error: 'service_unavailable', message: BUSY }, { 'retry-after': RETRY_AFTER_SECONDS });
});
