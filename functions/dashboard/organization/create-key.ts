import * as z from 'zod/mini';
import { viewKey } from '../../../shared/domain/organizations/key-view.ts';
import { defaultPermissions } from '../../../shared/domain/organizations/permission.ts';
import { createKey } from '../../../shared/messages/dashboard/keys.ts';
import { createApiKey } from '../../../shared/operations/organizations/create-api-key.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { answer, decline } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
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

export const handler = dashboardRoute(createKey, admit, async ({ member, actor, body }) => {
  const permissions = [...new Set(body.permissions ?? defaultPermissions)];
  const { name, seed } = body;
  const created = await createApiKey(deps, actor, { org_id: member.org_id, name, permissions, seed });
  if (created.kind === 'key_created_before')
    return decline({
      error: created.kind,
      message: 'An earlier request with this seed created a key with other values, or one that was revoked.',
    });
  return answer(201, { key: viewKey(created.key), value: created.value });
});
