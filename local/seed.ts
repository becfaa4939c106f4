import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { names } from '../lib/names.ts';
import { defaultPermissions } from '../shared/domain/organizations/api-key.ts';
import { DEFAULT_MAX_DURATION_SECONDS } from '../shared/domain/organizations/assistant.ts';
import { toUnits } from '../shared/domain/organizations/credit.ts';
import { DEFAULT_RATE_CREDITS, DEFAULT_REGION } from '../shared/domain/organizations/organization.ts';
import { connectCrmA } from '../shared/operations/connections/connect-crm-a.ts';
import { createOauthConnection } from '../shared/operations/connections/connect-oauth.ts';
import { createApiKey } from '../shared/operations/organizations/create-api-key.ts';
import { createAssistant } from '../shared/operations/organizations/create-assistant.ts';
import { createOrg } from '../shared/operations/organizations/create-org.ts';
import { connectionStore } from '../shared/stores/connections/connections.ts';
import { transactions } from '../shared/stores/dynamodb/transaction.ts';
import { apiKeyStore } from '../shared/stores/organizations/api-keys.ts';
import { assistantStore } from '../shared/stores/organizations/assistants.ts';
import { creditLedger } from '../shared/stores/organizations/credit-ledger.ts';
import { organizationStore } from '../shared/stores/organizations/organizations.ts';
import { callbackSecretContext, seal } from '../shared/stores/sealing.ts';
import { putSecret } from '../shared/stores/secrets.ts';
import { newLead } from './simulators/crm-a/payloads.ts';
import { crmASender } from './simulators/crm-a/sender.ts';
import { defaultOrganization } from './simulators/help-desk/model.ts';
import { defaultApiKey } from './simulators/voice/server.ts';
import { defaultClient } from './simulators/zoho-accounts/model.ts';

const DEMO_CREDITS = 1_000;
/** Any number id does for the simulator; it must look like the vendor's. */
const DEMO_NUMBER_ID = '6d0a1f52-7c57-4a05-9d7a-3b0f8b7b2f10';
const SAMPLE_PHONE_NUMBER = '+919876543210';
const SAMPLE_LEAD = { number: 1, firstName: 'Anita', phone: '+919812345670' };
/** The user of CRM-A whose leads are called. */
const DEMO_OWNER_ID = 'd3a0c1f4-5b7e-4c2a-9f10-2e6b8a4c7d01';
/** What makes a ticket worth looking at; the rest is as the interface has it. */
const HELP_DESK_SETTINGS = {
  departmentId: defaultOrganization.departments[0]?.id ?? '',
  description_template: '{issue_summary}\n\nCalled: {caller_name} ({caller_mobile})\nSummary: {summary}',
  attach_call_recording: true,
  attach_full_transcript: true,
  tags: ['voice-assistant', 'flats'],
};

type Client = { endpoint: string; region: string; credentials: { accessKeyId: string; secretAccessKey: string } };

export type Demo = {
  org_id: string;
  api_key: string;
  assistant_id: string;
  connections: {
    crm_a: { connection_id: string; token: string; owner_id: string };
    crm_b: { connection_id: string; owner_id?: string };
    /** Where the help desk is the simulator: the department of another one cannot be known. */
    help_desk?: { connection_id: string };
  };
};

/**
 * Gives a fresh stage the simulators' keys, and an org with credit, an API key, an assistant and connections to both
 * CRMs and the help desk; CRM-B's and the help desk's want a consent (demo-consent.ts).
 * @param remote.crmBOwnerId the user of CRM-B whose leads are called; none where CRM-B is not the simulator.
 * @param remote.hasHelpDesk whether the help desk is the simulator.
 */
export async function seed(
  client: Client,
  stage: string,
  { crmBOwnerId, hasHelpDesk }: { crmBOwnerId: string | undefined; hasHelpDesk: boolean },
): Promise<Demo> {
  const named = names(stage);
  const db = DynamoDBDocumentClient.from(new DynamoDBClient(client), {
    marshallOptions: { removeUndefinedValues: true },
  });
  const kms = new KMSClient(client);
  const now = () => new Date();

  const account = JSON.stringify({ api_key: defaultApiKey, phone_number_id: DEMO_NUMBER_ID });
  const secrets = new SecretsManagerClient(client);
  await putSecret(secrets, named.secret('voice'), account);
  // The simulator's client; it is registered at every data center.
  const oauthClient = { client_id: defaultClient.id, client_secret: defaultClient.secret };
  const oauthClients = JSON.stringify({ in: oauthClient });
  await putSecret(secrets, named.secret('crm-b-oauth'), oauthClients);
  await putSecret(secrets, named.secret('help-desk-oauth'), oauthClients);

  const { org_id } = await createOrg(
    {
      organizations: organizationStore(db, named.table('organizations')),
      ledger: creditLedger(db, named.table('credit-ledger')),
      transact: transactions(db),
      seal: (orgId, secret) => seal(kms, named.keyAlias('callback-secrets'), secret, callbackSecretContext(orgId)),
      now,
    },
    {
      name: 'Demo organization',
      credit: toUnits(DEMO_CREDITS),
      rate: toUnits(DEFAULT_RATE_CREDITS),
      default_region: DEFAULT_REGION,
      platform_numbers: [],
    },
  );
  const { value: api_key } = await createApiKey(
    { apiKeys: apiKeyStore(db, named.table('api-keys')), now },
    { org_id, name: 'demo', permissions: defaultPermissions },
  );
  const { assistant_id } = await createAssistant(
    { assistants: assistantStore(db, named.table('assistants')), now },
    {
      org_id,
      name: 'Asha',
      // A call by REST has its `name` in the metadata, a lead its `FirstName`; the other one is empty.
      prompt:
        'You are Asha, who calls people that asked for information about our flats. Greet them by name where you know it ({{name}}{{FirstName}}), find out what they look for, and offer a visit.',
      first_message: 'Namaste {{name}}{{FirstName}}, this is Asha. You asked about our flats. Is this a good time?',
      max_duration_seconds: DEFAULT_MAX_DURATION_SECONDS,
    },
  );
  const deps = { connections: connectionStore(db, named.table('connections')), now };
  const wanted = { org_id, auto_call: true, assistant_id };
  const connected = await connectCrmA(deps, { ...wanted, trigger_owner_user_id: DEMO_OWNER_ID });
  const crmB = await createOauthConnection(deps, {
    ...wanted,
    type: 'crm-b',
    ...(crmBOwnerId && { trigger_owner_user_id: crmBOwnerId }),
  });
  if (!connected || !crmB) throw new Error('A new organization cannot be connected already.');
  const helpDesk = hasHelpDesk
    ? await createOauthConnection(deps, { org_id, auto_call: true, type: 'help-desk', settings: HELP_DESK_SETTINGS })
    : undefined;
  const { connection, token } = connected;
  return {
    org_id,
    api_key,
    assistant_id,
    connections: {
      crm_a: { connection_id: connection.connection_id, token, owner_id: DEMO_OWNER_ID },
      crm_b: { connection_id: crmB.connection_id, ...(crmBOwnerId && { owner_id: crmBOwnerId }) },
      ...(helpDesk && { help_desk: { connection_id: helpDesk.connection_id } }),
    },
  };
}

/** So that something happens at once. */
export async function placeSampleCall(baseUrl: string, { api_key, assistant_id }: Demo): Promise<void> {
  await fetch(`${baseUrl}/v1/calls/outbound`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ phone_number: SAMPLE_PHONE_NUMBER, assistant_id, metadata: { name: 'Ravi' } }),
    signal: AbortSignal.timeout(10_000),
  });
}

/** So that a lead is seen to become a call: through the webhook, as CRM-A posts it. */
export async function sendSampleLead(baseUrl: string, { connections: { crm_a } }: Demo): Promise<void> {
  const url = `${baseUrl}/api/webhooks/crm-a/${crm_a.connection_id}`;
  await crmASender({ url, token: crm_a.token }).post(
    newLead({ ...SAMPLE_LEAD, owner: crm_a.owner_id, at: new Date() }),
  );
}
