import * as z from 'zod/mini';
import { stopCall as route } from '../../../shared/messages/dashboard/call-actions.ts';
import { stopCall } from '../../../shared/operations/calls/stop-call.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { clock } from '../../../shared/runtime/clock.ts';
import { integer, readConfig } from '../../../shared/runtime/config.ts';
import { answer, decline, declineAboutCall } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { logger } from '../../../shared/runtime/logger.ts';
import { count } from '../../../shared/runtime/metrics.ts';
import { slotStore } from '../../../shared/stores/calls/slots/slots.ts';
import { wireAdmission } from '../../../shared/wiring/admission.ts';
import { wireAuditedChanges } from '../../../shared/wiring/audited-changes.ts';
import { callEndStores } from '../../../shared/wiring/stores.ts';
import { wireVoice } from '../../../shared/wiring/voice.ts';

const config = readConfig({
  MEMBERS_TABLE: z.string(),
  CALLS_TABLE: z.string(),
  ORGANIZATIONS_TABLE: z.string(),
  CREDIT_LEDGER_TABLE: z.string(),
  SLOTS_TABLE: z.string(),
  CLAIMS_TABLE: z.string(),
  USAGE_TABLE: z.string(),
  AUDIT_TABLE: z.string(),
  VOICE_API_URL: z.string(),
  VOICE_SECRET_ID: z.string(),
  VOICE_TIMEOUT_MS: integer,
});
const db = documentClient(quick);

const admit = wireAdmission(config, db);
const deps = {
  ...callEndStores(config, db),
  slots: slotStore(db, config.SLOTS_TABLE),
  ...wireAuditedChanges(config, db),
  voice: wireVoice(config)(clock).voice,
  count,
};

const RETRY_AFTER_SECONDS = '10';

export const handler = dashboardRoute(route, admit, async ({ member, actor, path }) => {
  const result = await stopCall(deps, actor, { org_id: member.org_id, call_id: path.id ?? '' });
  switch (result.kind) {
    case 'canceled':
      return answer(200, { state: 'canceled' });
    case 'asked':
      return answer(202, { state: 'hanging_up' });
    case 'call_not_found':
      return declineAboutCall(result.kind);
    case 'already_ended':
      return declineAboutCall('call_has_ended');
    case 'not_live':
      return declineAboutCall('call_is_being_dialed');
    case 'unreachable':
      logger.warn('not stopped', { call_id: path.id, reason: result.reason });
      return decline(
        { error: 'service_unavailable', message: 'The voice platform did not end the call. Try again in a moment.' },
        { 'retry-after': RETRY_AFTER_SECONDS },
      );
  }
});
