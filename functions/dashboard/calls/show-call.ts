import { S3Client } from '@aws-sdk/client-s3';
import * as z from 'zod/mini';
import { viewCallPage } from '../../../shared/domain/after-call/call-page-view.ts';
import { showCall as route } from '../../../shared/messages/dashboard/calls.ts';
import { showCall } from '../../../shared/operations/after-call/show-call.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { clock } from '../../../shared/runtime/clock.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { answer, declineAboutCall } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { logger } from '../../../shared/runtime/logger.ts';
import { callbackStore } from '../../../shared/stores/after-call/callbacks.ts';
import { callStore } from '../../../shared/stores/calls/calls.ts';
import { transcriptStart } from '../../../shared/stores/calls/files/transcript-start.ts';
import { creditLedger } from '../../../shared/stores/organizations/credit-ledger.ts';
import { wireAdmission } from '../../../shared/wiring/admission.ts';
import { wireDoNotCall } from '../../../shared/wiring/do-not-call.ts';

const config = readConfig({
  MEMBERS_TABLE: z.string(),
  CALLS_TABLE: z.string(),
  CALLBACKS_TABLE: z.string(),
  CREDIT_LEDGER_TABLE: z.string(),
  DO_NOT_CALL_TABLE: z.string(),
  DO_NOT_CALL_KEY_ID: z.string(),
  CALL_FILES_BUCKET: z.string(),
});
const db = documentClient(quick);

const deps = {
  calls: callStore(db, config.CALLS_TABLE),
  callbacks: callbackStore(db, config.CALLBACKS_TABLE),
  ledger: creditLedger(db, config.CREDIT_LEDGER_TABLE),
  doNotCall: wireDoNotCall(config, db, quick),
  transcriptStart: transcriptStart(new S3Client(quick), config.CALL_FILES_BUCKET),
  now: clock,
  log: (message: string, facts: object) => logger.warn(message, { ...facts }),
};
const admit = wireAdmission(config, db);

export const handler = dashboardRoute(route, admit, async ({ member, path }) => {
  const shown = await showCall(deps, member.org_id, path.id ?? '');
  if (shown.kind !== 'found') return declineAboutCall(shown.kind);
  return answer(200, viewCallPage(shown));
});
