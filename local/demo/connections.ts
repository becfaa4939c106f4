import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { names } from '../../lib/names.ts';
import { createCrmAConnection } from '../../shared/operations/connections/create-crm-a-connection.ts';
import { createOauthConnection } from '../../shared/operations/connections/create-oauth-connection.ts';
import { connectionStore } from '../../shared/stores/connections/connections.ts';
import { defaultOrganization } from '../simulators/help-desk/model.ts';
import type { Demo } from './model.ts';

/** The user of CRM-A whose leads are called. */
const CRM_A_OWNER_ID = 'd3a0c1f4-5b7e-4c2a-9f10-2e6b8a4c7d01';
const HELP_DESK_SETTINGS = {
  departmentId: defaultOrganization.departments[0]?.id ?? '',
  description_template: '{issue_summary}\n\nCalled: {caller_name} ({caller_mobile})\nSummary: {summary}',
  attach_call_recording: true,
  attach_full_transcript: true,
  tags: ['voice-assistant', 'flats'],
};

/** Connects an organization to CRM-A, CRM-B and the help desk. */
export async function connectDemo(
  named: ReturnType<typeof names>,
  db: DynamoDBDocumentClient,
  { org_id, assistant_id }: Pick<Demo, 'org_id' | 'assistant_id'>,
  { crmBOwnerId, hasHelpDesk }: { crmBOwnerId: string | undefined; hasHelpDesk: boolean },
): Promise<Demo['connections']> {
  const deps = { connections: connectionStore(db, named.table('connections')), now: () => new Date() };
  const callsLeads = { org_id, auto_call: true, assistant_id };
  const crmA = await createCrmAConnection(deps, { ...callsLeads, trigger_owner_user_id: CRM_A_OWNER_ID });
  const crmB = await createOauthConnection(deps, {
    ...callsLeads,
    type: 'crm-b',
    ...(crmBOwnerId && { trigger_owner_user_id: crmBOwnerId }),
  });
  if (!crmA || !crmB) throw new Error('The demo organization has connections already.');
  const helpDesk = hasHelpDesk
    ? await createOauthConnection(deps, { org_id, auto_call: true, type: 'help-desk', settings: HELP_DESK_SETTINGS })
    : undefined;
  return {
    crm_a: { connection_id: crmA.connection.connection_id, token: crmA.token, owner_id: CRM_A_OWNER_ID },
    crm_b: { connection_id: crmB.connection_id, ...(crmBOwnerId && { owner_id: crmBOwnerId }) },
    ...(helpDesk && { help_desk: { connection_id: helpDesk.connection_id } }),
  };
}
