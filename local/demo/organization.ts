import { KMSClient } from '@aws-sdk/client-kms';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { names } from '../../lib/names.ts';
import { newToken } from '../../shared/domain/ids.ts';
import { toUnits } from '../../shared/domain/organizations/credit.ts';
import { DEFAULT_RATE_CREDITS, DEFAULT_REGION } from '../../shared/domain/organizations/organization.ts';
import { defaultPermissions } from '../../shared/domain/organizations/permission.ts';
import { createApiKey } from '../../shared/operations/organizations/create-api-key.ts';
import { createAssistant } from '../../shared/operations/organizations/create-assistant.ts';
import { createOrg } from '../../shared/operations/organizations/create-org.ts';
import { transactions } from '../../shared/stores/dynamodb/transaction.ts';
import { apiKeyStore } from '../../shared/stores/organizations/api-keys.ts';
import { assistantStore } from '../../shared/stores/organizations/assistants.ts';
import { auditStore } from '../../shared/stores/organizations/audit.ts';
import { creditLedger } from '../../shared/stores/organizations/credit-ledger.ts';
import { keyCounterStore } from '../../shared/stores/organizations/key-counters.ts';
import { organizationStore } from '../../shared/stores/organizations/organizations.ts';
import { callbackSecretContext, seal } from '../../shared/stores/sealing.ts';
import type { LocalClient } from '../client.ts';
import type { Demo } from './model.ts';

const CREDITS = 1_000;
const PROMPT =
  'You are Asha, who calls people that asked for information about our flats. Greet them by name where you know it ({{name}}), find out what they look for, and offer a visit.';
const FIRST_MESSAGE = 'Namaste {{name|there}}, this is Asha. You asked about our flats. Is this a good time?';

/** Creates an organization with credit, an API key and an assistant. */
export async function createDemoOrganization(
  client: LocalClient,
  named: ReturnType<typeof names>,
  db: DynamoDBDocumentClient,
): Promise<Pick<Demo, 'org_id' | 'api_key' | 'assistant_id'>> {
  const kms = new KMSClient(client);
  const now = () => new Date();
  const audited = { audit: auditStore(db, named.table('audit')), transact: transactions(db), now, newToken };
  const organizations = organizationStore(db, named.table('organizations'));
  const actor = { kind: 'operator' as const, name: 'npm start' };
  const { org_id } = await createOrg(
    {
      ...audited,
      organizations,
      ledger: creditLedger(db, named.table('credit-ledger')),
      seal: (orgId, secret) => seal(kms, named.keyAlias('callback-secrets'), secret, callbackSecretContext(orgId)),
    },
    actor,
    {
      name: 'Demo organization',
      credit: toUnits(CREDITS),
      rate: toUnits(DEFAULT_RATE_CREDITS),
      default_region: DEFAULT_REGION,
      countries: [],
      platform_numbers: [],
    },
  );
  const key = await createApiKey(
    {
      ...audited,
      apiKeys: apiKeyStore(db, named.table('api-keys')),
      keyCounters: keyCounterStore(db, named.table('rate-limits')),
    },
    actor,
    { org_id, name: 'demo', permissions: defaultPermissions },
  );
  const created = await createAssistant(
    { ...audited, organizations, assistants: assistantStore(db, named.table('assistants')) },
    actor,
    { org_id, name: 'Asha', prompt: PROMPT, first_message: FIRST_MESSAGE },
  );
  if (key.kind !== 'created') throw new Error(key.kind);
  if (created.kind !== 'created') throw new Error(created.kind);
  return { org_id, api_key: key.value, assistant_id: created.assistant.assistant_id };
}
