import type { Connection } from '../../domain/connections/connection.ts';
import { mergeSettings, type SettingIssue } from '../../domain/connections/connection-settings.ts';
import { hashWebhookToken, newWebhookToken } from '../../domain/connections/deliveries/webhook-token.ts';
import { connectionIdFor } from '../../domain/ids.ts';
import { type Actor, actorName } from '../../domain/organizations/audit/audit-entry.ts';
import type { ConnectionStore } from '../../stores/connections/connections.ts';
import { type AuditConnectionDeps, auditConnection, auditedValues } from './steps/audit-connection.ts';
import {
  type CheckAssistantDeps,
  checkAssistant,
  type NoSuchAssistant,
  requiringAssistant,
} from './steps/check-assistant.ts';

export type CreateConnectionDeps = AuditConnectionDeps &
  CheckAssistantDeps & { connections: Pick<ConnectionStore, 'creating'> };

export type NewConnection = Pick<
  Connection,
  'org_id' | 'type' | 'auto_call' | 'assistant_id' | 'trigger_owner_user_id'
> & {
  /** Undefined if they are chosen after the consent. */
  settings?: Readonly<Record<string, unknown>> | undefined;
};

export type CreatingConnection =
  /** `token` of CRM-A in plain text: it is shown once and not stored. A person's consent connects the other types. */
  | { kind: 'created'; connection: Connection; token: string | undefined }
  /** An organization has one connection of each type. */
  | { kind: 'connection_exists' }
  | { kind: 'invalid_settings'; issues: SettingIssue[] }
  | NoSuchAssistant;

/** Creates an organization's connection to CRM-A, or one to CRM-B or the help desk that awaits a consent. */
export async function createConnection(
  deps: CreateConnectionDeps,
  actor: Actor,
  { settings: given, ...wanted }: NewConnection,
): Promise<CreatingConnection> {
  const merged = given && mergeSettings(wanted.type, given);
  if (merged?.ok === false) return { kind: 'invalid_settings', issues: merged.issues };
  const refusal = await checkAssistant(deps, wanted.org_id, wanted.assistant_id);
  if (refusal) return refusal;
  const token = wanted.type === 'crm-a' ? newWebhookToken() : undefined;
  const created_at = deps.now().toISOString();
  const connection: Connection = {
    connection_id: connectionIdFor(wanted.org_id, wanted.type),
    ...wanted,
    ...(merged && { settings: merged.settings }),
    created_at,
    ...(wanted.type !== 'help-desk' && !wanted.auto_call && { off_times: [{ from: created_at }] }),
    revision: 1,
    updated_at: created_at,
    updated_by: actorName(actor),
    ...(token !== undefined && { token_hash: hashWebhookToken(token) }),
  };
  const result = await deps.transact({
    connection: deps.connections.creating(connection),
    assistant: requiringAssistant(deps, wanted.org_id, wanted.assistant_id),
    audit: auditConnection(deps, actor, connection, 'connection.created', { after: auditedValues(connection) }),
  });
  if (result.committed) return { kind: 'created', connection, token };
  return { kind: result.refused.assistant ? 'assistant_not_found' : 'connection_exists' };
}
