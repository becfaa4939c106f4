import * as z from 'zod/mini';
import { viewCall } from '../../shared/domain/calls/call-view.ts';
import { getCall } from '../../shared/operations/calls/get-call.ts';
import { quick } from '../../shared/runtime/aws.ts';
import { readConfig } from '../../shared/runtime/config.ts';
import { documentClient } from '../../shared/runtime/dynamodb.ts';
import { rateHeaders, refuseAdmission } from '../../shared/runtime/rest/rest-admission.ts';
import { refuse, restRoute } from '../../shared/runtime/rest/rest-route.ts';
import { viewedCall } from '../../shared/stores/calls/viewed-calls.ts';
import { withBatchedReads } from '../../shared/stores/dynamodb/batched-reads.ts';
import { wireKeyAdmission } from '../../shared/wiring/key-admission.ts';

const config = readConfig({
  API_KEYS_TABLE: z.string(),
  ORGANIZATIONS_TABLE: z.string(),
  RATE_LIMITS_TABLE: z.string(),
  CALLS_TABLE: z.string(),
});
const db = documentClient(quick);
const batchedDb = withBatchedReads(db);

const deps = {
  ...wireKeyAdmission(config, batchedDb),
  calls: { get: viewedCall(batchedDb, config.CALLS_TABLE) },
};

export const handler = restRoute(async ({ headers: { authorization }, path }) => {
  const reading = await getCall(deps, authorization, path.id ?? '');
  const headers = 'rate' in reading ? rateHeaders(reading.rate) : {};
  switch (reading.kind) {
    case 'found':
      return { status: 200, headers, body: viewCall(reading.call) };
    case 'call_not_found':
      return refuse({ error: reading.kind, message: 'There is no call with this id.' }, headers);
    default:
      return refuseAdmission(reading, headers);
  }
});
