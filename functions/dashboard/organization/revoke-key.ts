import * as z from 'zod/mini';
import { revokeKey } from '../../../shared/messages/dashboard/keys.ts';
import { revokeApiKey } from '../../../shared/operations/organizations/revoke-api-key.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { decline, noContent } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { apiKeyStore } from '../../../shared/stores/organizations/api-keys.ts';
import { keyCounterStore } from '../../../shared/stores/organizations/key-counters.ts';
import { wireAdmission } from '../../../shared/wiring/admission.ts';
import { wireAuditedChanges } from '../../../shared/wiring/audited-changes.ts';

const config = readConfig({
  MEMBERS_TABLE: z.string(),
  API_KEYS_TABLE: z.string(),
  RATE_LIMITS_TABLE: z.string(),
  AUDIT_TABLE: z.string(),
});
const db = documentClient(quick);

const admit = wireAdmission(config, db);
const deps = {
  apiKeys: apiKeyStore(db, config.API_KEYS_TABLE),
  keyCounters: keyCounterStore(db, config.RATE_LIMITS_TABLE),
  ...wireAuditedChanges(config, db),
};

export const handler = dashboardRoute(revokeKey, admit, async ({ member, actor, path }) => {
  const { kind } = await revokeApiKey(deps, actor, { org_id: member.org_id, key_id: path.id ?? '' });
  return kind === 'revoked' ? noContent() : decline({ error: kind, message: 'There is no such API key.' });
});
