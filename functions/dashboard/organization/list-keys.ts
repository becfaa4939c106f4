import * as z from 'zod/mini';
import { viewKey } from '../../../shared/domain/organizations/key-view.ts';
import { listKeys } from '../../../shared/messages/dashboard/keys.ts';
import { withLastUse } from '../../../shared/operations/organizations/steps/with-last-use.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { answer } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import {
  cursorOf,
  limitOf,
  noSuchPage,
  readCursor,
  writeCursor,
} from '../../../shared/runtime/dashboard/dashboard-input.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { withBatchedReads } from '../../../shared/stores/dynamodb/batched-reads.ts';
import { apiKeyStore } from '../../../shared/stores/organizations/api-keys.ts';
import { keyCounterStore } from '../../../shared/stores/organizations/key-counters.ts';
import { wireAdmission } from '../../../shared/wiring/admission.ts';

const config = readConfig({ MEMBERS_TABLE: z.string(), API_KEYS_TABLE: z.string(), RATE_LIMITS_TABLE: z.string() });
const db = documentClient(quick);

const apiKeys = apiKeyStore(db, config.API_KEYS_TABLE);
const batchedDb = withBatchedReads(db);
const keyCounters = keyCounterStore(batchedDb, config.RATE_LIMITS_TABLE);
const admit = wireAdmission(config, db);
// Names the last key by its id, not by the hash of its value.
const cursor = cursorOf('key_id');

export const handler = dashboardRoute(listKeys, admit, async ({ member, query }) => {
  const after = readCursor(cursor, query.next);
  if (!after.ok) return after.answer;
  const before = after.value && (await apiKeys.find(after.value.key_id));
  if (after.value && before?.org_id !== member.org_id) return noSuchPage().answer;
  const { items, last } = await apiKeys.page(member.org_id, limitOf(query), before);
  const next = last && items.at(-1);
  const used = await Promise.all(items.map((key) => withLastUse({ keyCounters }, key)));
  return answer(200, { items: used.map(viewKey), next: writeCursor(next && { key_id: next.key_id }) });
});
