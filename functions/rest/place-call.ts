import * as z from 'zod/mini';
import { acknowledge } from '../../shared/domain/calls/call-view.ts';
import { readOutboundRequest } from '../../shared/domain/calls/placing/outbound-request.ts';
import { lackOfCredit } from '../../shared/domain/organizations/credit.ts';
import { placeCall } from '../../shared/operations/calls/place-call.ts';
import { quick } from '../../shared/runtime/aws.ts';
import { flag, readConfig, retention } from '../../shared/runtime/config.ts';
import { documentClient } from '../../shared/runtime/dynamodb.ts';
import { rateHeaders, refuseAdmission } from '../../shared/runtime/rest/rest-admission.ts';
import { readJson } from '../../shared/runtime/rest/rest-body.ts';
import { refuse, restRoute } from '../../shared/runtime/rest/rest-route.ts';
import { callStore } from '../../shared/stores/calls/calls.ts';
import { withBatchedReads } from '../../shared/stores/dynamodb/batched-reads.ts';
import { transactions } from '../../shared/stores/dynamodb/transaction.ts';
import { assistantStore } from '../../shared/stores/organizations/assistants.ts';
import { organizationStore } from '../../shared/stores/organizations/organizations.ts';
import { wireDoNotCall } from '../../shared/wiring/do-not-call.ts';
import { wireKeyAdmission } from '../../shared/wiring/key-admission.ts';

const config = readConfig({
  API_KEYS_TABLE: z.string(),
  ORGANIZATIONS_TABLE: z.string(),
  RATE_LIMITS_TABLE: z.string(),
  ASSISTANTS_TABLE: z.string(),
  CALLS_TABLE: z.string(),
  DO_NOT_CALL_TABLE: z.string(),
  DO_NOT_CALL_KEY_ID: z.string(),
  RETENTION: retention,
  ALLOW_LOOPBACK_CALLBACKS: flag,
});
const batchedDb = withBatchedReads(documentClient(quick));
const deps = {
  ...wireKeyAdmission(config, batchedDb),
  organizations: organizationStore(batchedDb, config.ORGANIZATIONS_TABLE),
  assistants: assistantStore(batchedDb, config.ASSISTANTS_TABLE),
  calls: callStore(batchedDb, config.CALLS_TABLE),
  doNotCall: wireDoNotCall(config, batchedDb, quick, { isEarly: true }),
  transact: transactions(batchedDb),
  retention: config.RETENTION,
};

const messageOf = {
  assistant_not_found: 'There is no assistant with this assistant_id.',
  assistant_wrong_org: 'The assistant belongs to another organization.',
  do_not_call: "The number is on the organization's do-not-call list.",
  org_suspended: 'The organization is suspended; no calls are placed for it.',
  call_erased: 'The call of this idempotency_key was erased. A new call needs another key.',
} as const;

export const handler = restRoute(async (request) => {
  const json = readJson(request);
  const placing = await placeCall(deps, {
    requestId: request.id,
    authorization: request.headers.authorization,
    from: request.from,
    body: json.ok ? readOutboundRequest(json.value, { allowLoopback: config.ALLOW_LOOPBACK_CALLBACKS }) : json,
  });
  const headers = 'rate' in placing ? rateHeaders(placing.rate) : {};
  switch (placing.kind) {
    case 'placed':
      return { status: 202, headers, body: acknowledge(placing.call) };
    case 'replayed':
      return { status: 202, headers, body: { ...acknowledge(placing.call), idempotent_replay: true } };
    case 'invalid_body':
      return refuse(placing.refusal, headers);
    case 'assistant_not_found':
    case 'assistant_wrong_org':
    case 'do_not_call':
    case 'org_suspended':
    case 'call_erased':
      return refuse({ error: placing.kind, message: messageOf[placing.kind] }, headers);
    case 'destination_not_allowed':
      return refuse({ error: placing.kind, message: placing.message }, headers);
    case 'insufficient_credits':
      return refuse({ error: placing.kind, ...lackOfCredit(placing.required, placing.available) }, headers);
    default:
      return refuseAdmission(placing, headers);
  }
});
