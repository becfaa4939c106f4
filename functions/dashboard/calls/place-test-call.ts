import * as z from 'zod/mini';
import { lackOfCredit, toCredits } from '../../../shared/domain/organizations/credit.ts';
import { placeTestCall as route } from '../../../shared/messages/dashboard/test-calls.ts';
import { placeTestCall } from '../../../shared/operations/calls/place-test-call.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { readConfig, retention } from '../../../shared/runtime/config.ts';
import { answer, decline, declineTooManyAttempts } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { declineAboutTestCall } from '../../../shared/runtime/dashboard/dashboard-assistants.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { logger } from '../../../shared/runtime/logger.ts';
import { callStore } from '../../../shared/stores/calls/calls.ts';
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
  ASSISTANTS_TABLE: z.string(),
  CALLS_TABLE: z.string(),
  DO_NOT_CALL_TABLE: z.string(),
  DO_NOT_CALL_KEY_ID: z.string(),
  RETENTION: retention,
  AUDIT_TABLE: z.string(),
});
const db = documentClient(quick);

const admit = wireAdmission(config, db);
const deps = {
  organizations: organizationStore(db, config.ORGANIZATIONS_TABLE),
  rateLimits: rateLimitStore(db, config.RATE_LIMITS_TABLE),
  assistants: assistantStore(db, config.ASSISTANTS_TABLE),
  calls: callStore(db, config.CALLS_TABLE),
  doNotCall: wireDoNotCall(config, db, quick),
  ...wireAuditedChanges(config, db),
  retention: config.RETENTION,
  correlate: (ids: Record<string, string>) => logger.appendKeys(ids),
};

export const handler = dashboardRoute(route, admit, async ({ member, body, idempotencyKey, request }) => {
  const { assistant_id, variables: metadata = {} } = body;
  const placing = await placeTestCall(deps, {
    member,
    requestId: request.id,
    from: request.from,
    idempotencyKey,
    assistant_id,
    metadata,
  });
  switch (placing.kind) {
    case 'placed':
    case 'replayed': {
      const { call_id, phone_number, held } = placing.call;
      return answer(202, { call_id, phone_number, held: toCredits(held) });
    }
    case 'insufficient_credits':
      return decline({
        error: placing.kind,
        message: lackOfCredit(placing.required, placing.available).message,
      });
    case 'destination_not_allowed':
      return decline({ error: placing.kind, message: placing.message });
    case 'too_many_test_calls':
      return declineTooManyAttempts(placing);
    default:
      return declineAboutTestCall(placing.kind);
  }
});
