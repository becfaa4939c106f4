import { randomUUID } from 'node:crypto';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { defaultOrganization } from '../../local/simulators/help-desk/model.ts';
import type { AnalysisResult } from '../../shared/domain/calls/analysis.ts';
import type { Call } from '../../shared/domain/calls/call.ts';
import type { Connection } from '../../shared/domain/connections/connection.ts';
import type { Grant } from '../../shared/domain/connections/grant.ts';
import { helpDeskScopes } from '../../shared/domain/connections/oauth-scopes.ts';
import { callIdFor } from '../../shared/domain/ids.ts';
import { createOauthConnection } from '../../shared/operations/connections/create-oauth-connection.ts';
import { oauthClientReader } from '../../shared/stores/connections/oauth-clients.ts';
import { secondsAgo } from './accepted-call.ts';
import { type GrantHosts, grants, tokens } from './crm-b.ts';
import { AUDIO } from './finished-call.ts';
import { stores, type TestOrg } from './orgs.ts';
import { aPhoneNumber } from './rest.ts';
import { crmB, environment, named, now, queueUrl, secrets, sqs } from './stack.ts';

export const departmentId = defaultOrganization.departments[0]?.id ?? '';

/** Scopes with the right to create contacts, which the default scopes lack. */
const contactScopes = `${helpDeskScopes},HB.contacts.CREATE`;

type Granting = {
  scopes?: string;
  /** When the access token expires. */
  endsInSeconds?: number;
  /** The accounts server; default: the simulator's. */
  hosts?: GrantHosts;
};

/**
 * Connects an org to the help desk with a grant, but without a consent.
 * @param settings besides department and organization.
 */
export async function aHelpDeskConnection(
  org: TestOrg,
  settings: Record<string, unknown> = {},
  granting: Granting = {},
): Promise<Connection> {
  const connection = await createOauthConnection(
    { connections: stores.connections, now },
    {
      org_id: org.orgId,
      type: 'help-desk',
      auto_call: false,
      settings: { departmentId, orgId: defaultOrganization.id, ...settings },
    },
  );
  if (!connection) throw new Error('the org has a help desk already');
  await grantTo(connection, granting);
  return connection;
}

/** A grant as a consent stores it. */
async function grantTo(
  { connection_id }: Pick<Connection, 'connection_id'>,
  { scopes = contactScopes, endsInSeconds = 3_600, hosts }: Granting = {},
): Promise<void> {
  const client = await oauthClientReader(secrets, named.secret('help-desk-oauth'))('in');
  if (!client) throw new Error('the help desk has no client');
  const granted = await crmB.grant({ clientId: client.client_id, scopes: scopes.split(',') });
  const [refresh_token, token] = await Promise.all([
    tokens.seal(connection_id, granted.refreshToken),
    tokens.seal(connection_id, granted.accessToken),
  ]);
  const { id, companyName } = defaultOrganization;
  const grant: Grant = {
    id: randomUUID(),
    data_center: 'in',
    accounts_server: hosts?.accounts_server ?? environment.simulators.crm_b_accounts,
    api_domain: hosts?.api_domain ?? environment.simulators.crm_b,
    refresh_token,
    granted_at: now().toISOString(),
    organizations: [{ id, name: companyName }],
  };
  const expires_at = secondsAgo(-endsInSeconds);
  await grants.store(connection_id, grant, { version: 1, token, expires_at });
}

export const anAnalysis = (result: Partial<AnalysisResult> = {}): NonNullable<Call['analysis']> => ({
  state: 'done',
  result: {
    summary: 'The tap in the kitchen drips.',
    success_eval: 'success',
    sentiment: 'negative',
    structured_data: {},
    lead_intent: 'complaint',
    issue_summary: 'The tap in the kitchen drips since Monday.',
    do_not_call: false,
    ...result,
  },
});

/** Stores the transcript in the bucket. */
async function keptFiles(file: Pick<Call, 'org_id' | 'call_id'>): Promise<Pick<Call, 'transcript_key' | 'recording'>> {
  const audio = { body: AUDIO, contentType: 'audio/wav', contentLength: AUDIO.length };
  const [transcript_key, key] = await Promise.all([
    stores.files.putTranscript(file, 'Asha: Namaste.\nMeera: The tap drips.'),
    stores.files.putRecording(file, audio),
  ]);
  return { transcript_key, recording: { state: 'stored', key } };
}

/** An answered, analyzed and finished call, unless given otherwise. */
export async function aTicketCall(org: TestOrg, over: Partial<Call> = {}): Promise<Call> {
  const call_id = over.call_id ?? callIdFor(org.orgId, randomUUID());
  const file = { org_id: org.orgId, call_id };
  const created_at = secondsAgo(200);
  const call: Call = {
    ...file,
    request_id: call_id,
    status: 'completed',
    phone_number: aPhoneNumber(),
    assistant_id: org.assistantId,
    assistant_name: 'Asha',
    request_metadata: { name: 'Meera Iyer' },
    created_at,
    progress_at: now().toISOString(),
    unfinished: 'ended',
    rate: 1000,
    max_duration_seconds: 600,
    held: 0,
    dial_by: secondsAgo(-600),
    dial_after: created_at,
    attempts: 1,
    started_at: secondsAgo(130),
    ended_at: secondsAgo(5),
    duration: 125,
    cost: 0,
    ...('recording' in over ? {} : await keptFiles(file)),
    analysis: anAnalysis(),
    finished_at: now().toISOString(),
    ticket_work: 'pending',
    ...over,
  };
  await stores.transact({ call: stores.calls.creation(call) });
  return call;
}

/** Queues a call, as its event does. */
export const queueTicket = (call_id: string) =>
  sqs.send(new SendMessageCommand({ QueueUrl: queueUrl('tickets'), MessageBody: JSON.stringify({ call_id }) }));
