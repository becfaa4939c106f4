import { randomUUID } from 'node:crypto';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { defaultOrganization } from '../../../local/simulators/help-desk/model.ts';
import type { AnalysisResult } from '../../../shared/domain/calls/analysis.ts';
import type { Call } from '../../../shared/domain/calls/call.ts';
import { helpDeskScopes } from '../../../shared/domain/connections/access/oauth-scopes.ts';
import type { Connection } from '../../../shared/domain/connections/connection.ts';
import { callIdFor, newToken } from '../../../shared/domain/ids.ts';
import { createConnection } from '../../../shared/operations/connections/create-connection.ts';
import { anEndedCall } from '../calls/finished-call.ts';
import { stores, type TestOrg } from '../organizations/orgs.ts';
import { now, queueUrl, sqs } from '../stack/stack.ts';
import { operator } from './change-connection.ts';
import { type GrantOptions, storeGrant } from './crm-b.ts';

export const departmentId = defaultOrganization.departments[0]?.id ?? '';

/** Scopes with the right to create contacts, which the default scopes lack. */
const contactScopes = `${helpDeskScopes},HB.contacts.CREATE`;

type Granting = Pick<GrantOptions, 'endsInSeconds' | 'hosts'> & { scopes?: string };

/**
 * Connects an organization to the help desk with a grant, but without a consent.
 * @param settings added to the department and the organization
 */
export async function aHelpDeskConnection(
  org: TestOrg,
  settings: Record<string, unknown> = {},
  granting: Granting = {},
): Promise<Connection> {
  const created = await createConnection({ ...stores, now, newToken }, operator, {
    org_id: org.orgId,
    type: 'help-desk',
    auto_call: false,
    settings: { departmentId, orgId: defaultOrganization.id, ...settings },
  });
  if (created.kind !== 'created') throw new Error(`not created: ${created.kind}`);
  await grantTo(created.connection, granting);
  return created.connection;
}

/** Stores a grant, as a consent does. */
async function grantTo(
  { connection_id }: Pick<Connection, 'connection_id'>,
  { scopes = contactScopes, ...granting }: Granting = {},
): Promise<void> {
  const { id, companyName } = defaultOrganization;
  await storeGrant('help-desk', connection_id, { scopes, ...granting, organizations: [{ id, name: companyName }] });
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

/** Stores an answered, analyzed and finished call, unless given otherwise. */
export async function aTicketCall(org: TestOrg, over: Partial<Call> = {}): Promise<Call> {
  const call_id = over.call_id ?? callIdFor(org.orgId, randomUUID());
  const transcript = 'Asha: Namaste.\nMeera: The tap drips.';
  return anEndedCall({ org, connectionId: '' }, '', {
    call_id,
    request_metadata: { name: 'Meera Iyer' },
    lead: undefined,
    crm_b_sync: undefined,
    transcript_key:
      'recording' in over ? undefined : await stores.files.putTranscript({ org_id: org.orgId, call_id }, transcript),
    analysis: anAnalysis(),
    finished_at: now().toISOString(),
    ticket_work: 'pending',
    ...over,
  });
}

/** Queues a call for create-ticket, as its event does. */
export const queueTicket = (call_id: string) =>
  sqs.send(new SendMessageCommand({ QueueUrl: queueUrl('tickets'), MessageBody: JSON.stringify({ call_id }) }));
