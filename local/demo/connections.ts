import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { names } from '../../lib/names.ts';
import { newToken } from '../../shared/domain/ids.ts';
import { createConnection, type NewConnection } from '../../shared/operations/connections/create-connection.ts';
import { connectionStore } from '../../shared/stores/connections/connections.ts';
import { transactions } from '../../shared/stores/dynamodb/transaction.ts';
import { assistantStore } from '../../shared/stores/organizations/assistants.ts';
import { auditStore } from '../../shared/stores/organizations/audit.ts';
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
  const deps = {
    connections: connectionStore(db, named.table('connections')),
    assistants: assistantStore(db, named.table('assistants')),
    audit: auditStore(db, named.table('audit')),
    transact: transactions(db),
    now: () => new Date(),
    newToken,
  };
  const create = async (wanted: Omit<NewConnection, 'org_id' | 'auto_call'>) => {
    const created = await createConnection(
      deps,
      { kind: 'operator', name: 'demo' },
      { org_id, auto_call: true, ...wanted },
    );
    if (created.kind !== 'created')
      throw new Error(`The demo's connection ${wanted.type} was not created: ${created.kind}.`);
    return created;
  };
  const crmA = await create({ type: 'crm-a', assistant_id, trigger_owner_user_id: CRM_A_OWNER_ID });
  const crmB = await create({
    type: 'crm-b',
    assistant_id,
    ...(crmBOwnerId && { trigger_owner_user_id: crmBOwnerId }),
  });
  const helpDesk = hasHelpDesk ? await create({ type: 'help-desk', settings: HELP_DESK_SETTINGS }) : undefined;
  return {
    crm_a: { connection_id: crmA.connection.connection_id, token: crmA.token ?? '', owner_id: CRM_A_OWNER_ID },
    crm_b: { connection_id: crmB.connection.connection_id, ...(crmBOwnerId && { owner_id: crmBOwnerId }) },
    ...(helpDesk && { help_desk: { connection_id: helpDesk.connection.connection_id } }),
  };
}
