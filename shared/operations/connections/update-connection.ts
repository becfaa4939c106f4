import type { Connection } from '../../domain/connections/connection.ts';
import { mergeSettings, type SettingIssue, type Settings } from '../../domain/connections/connection-settings.ts';
import { type GrantedOrganizations, organizationOf } from '../../domain/connections/help-desk-organization.ts';
import { offTimesAfter } from '../../domain/connections/off-times.ts';
import { type Actor, actorName } from '../../domain/organizations/audit/audit-entry.ts';
import type { ConnectionStore } from '../../stores/connections/connections.ts';
import type { ListedOrganizations } from './list-organizations.ts';
import { type AuditConnectionDeps, auditConnection, auditedValues } from './steps/audit-connection.ts';
import {
  type CheckAssistantDeps,
  checkAssistant,
  type NoSuchAssistant,
  requiringAssistant,
} from './steps/check-assistant.ts';
import { type StoreOrganizationsDeps, storeOrganizations } from './steps/organizations.ts';

export type UpdateConnectionDeps = AuditConnectionDeps &
  CheckAssistantDeps &
  StoreOrganizationsDeps & {
    connections: Pick<ConnectionStore, 'updating'>;
    /** Requests the help desk's organizations of a grant. */
    listOrganizations: (connection: Connection) => Promise<ListedOrganizations>;
  };

/** A change of the editable settings. Undefined leaves a value, null removes it. */
export type ConnectionEdit = {
  auto_call?: boolean | undefined;
  assistant_id?: string | null | undefined;
  trigger_owner_user_id?: string | null | undefined;
  /** Merged into the stored settings, setting by setting. */
  settings?: Readonly<Record<string, unknown>> | undefined;
};

export type UpdatingConnection =
  /** `unlisted`: why the help desk did not name the grant's organizations; the next ticket requests them again. */
  | { kind: 'updated'; connection: Connection; unlisted?: string }
  /** Another change was stored since the one that the person saw. */
  | { kind: 'changed_meanwhile'; connection: Connection }
  | { kind: 'connection_not_found' }
  | { kind: 'invalid_settings'; issues: SettingIssue[] }
  | NoSuchAssistant;

const MAX_TRIES = 4;

/**
 * Changes the switch, the assistant, the owner and the settings of a connection. The next event or ticket uses them.
 * @param found the connection as read
 * @param revision the one that the person saw; undefined applies the change to any revision
 * @throws if other writers keep changing the connection
 */
export async function updateConnection(
  deps: UpdateConnectionDeps,
  actor: Actor,
  found: Connection,
  edit: ConnectionEdit,
  revision?: number,
): Promise<UpdatingConnection> {
  for (let connection: Connection | undefined = found, tries = 0; tries < MAX_TRIES; tries += 1) {
    if (!connection) return { kind: 'connection_not_found' };
    if (revision !== undefined && revision !== (connection.revision ?? 0))
      return { kind: 'changed_meanwhile', connection };
    const result = await tryUpdate(deps, actor, connection, edit);
    if (result) return result;
    connection = await deps.connections.get(found.connection_id);
  }
  throw new Error('other writers kept changing the connection');
}

/** @returns undefined if the connection has changed since it was read, or its new assistant is gone */
async function tryUpdate(
  deps: UpdateConnectionDeps,
  actor: Actor,
  connection: Connection,
  { settings: changes, ...edit }: ConnectionEdit,
): Promise<UpdatingConnection | undefined> {
  const { connection_id, org_id, type, settings: stored } = connection;
  const merged = changes && mergeSettings(type, changes, stored);
  if (merged?.ok === false) return { kind: 'invalid_settings', issues: merged.issues };
  const refusal = await checkAssistant(deps, org_id, edit.assistant_id);
  if (refusal) return refusal;
  const listed = await organizationsFor(deps, connection, merged?.settings ?? stored);
  if (listed.kind === 'invalid_settings') return listed;

  const changed = editedConnection(connection, edit, merged?.settings);
  if (changed) {
    const { before, after, remove } = changed;
    const { auto_call, assistant_id, trigger_owner_user_id, settings } = after;
    const stamp = {
      revision: (connection.revision ?? 0) + 1,
      updated_at: deps.now().toISOString(),
      updated_by: actorName(actor),
    };
    const off_times = type === 'help-desk' ? undefined : offTimesAfter(connection, auto_call, deps.now());
    const set = { auto_call, off_times, assistant_id, trigger_owner_user_id, settings: merged && settings, ...stamp };
    const result = await deps.transact({
      connection: deps.connections.updating(connection, set, remove),
      assistant: requiringAssistant(deps, org_id, edit.assistant_id),
      audit: auditConnection(deps, actor, connection, 'connection.updated', { before, after: auditedValues(after) }),
    });
    if (!result.committed) return undefined;
  }
  if (listed.kind === 'listed') await storeOrganizations(deps, connection, listed.organizations);
  const now = (await deps.connections.get(connection_id)) ?? connection;
  return { kind: 'updated', connection: now, ...('reason' in listed && { unlisted: listed.reason }) };
}

/** @returns the connection after the edit; undefined if nothing changes */
function editedConnection(
  connection: Connection,
  { auto_call = connection.auto_call, ...edit }: Omit<ConnectionEdit, 'settings'>,
  settings: Settings | undefined,
) {
  const removable = ['assistant_id', 'trigger_owner_user_id'] as const;
  const after: Connection = { ...connection, auto_call, ...(settings && { settings }) };
  for (const name of removable) {
    const value = edit[name];
    if (value === null) delete after[name];
    else if (value !== undefined) after[name] = value;
  }
  const [before, now] = [auditedValues(connection), auditedValues(after)].map((values) => JSON.stringify(values));
  if (before === now) return undefined;
  const remove = removable.filter((name) => connection[name] !== undefined && after[name] === undefined);
  return { before: auditedValues(connection), after, remove };
}

type Organizations =
  | { kind: 'not_needed' }
  | { kind: 'listed'; organizations: GrantedOrganizations }
  | { kind: 'refused' | 'unavailable'; reason: string }
  | { kind: 'invalid_settings'; issues: SettingIssue[] };

/** Requests the organizations of a help desk's grant unless the settings name one that it is known to have. */
async function organizationsFor(
  { listOrganizations }: UpdateConnectionDeps,
  connection: Connection,
  settings: Settings | undefined,
): Promise<Organizations> {
  if (connection.type !== 'help-desk' || !connection.grant) return { kind: 'not_needed' };
  if (organizationOf({ ...connection, settings }).kind === 'chosen') return { kind: 'not_needed' };
  const answer = await listOrganizations(connection);
  if (answer.kind !== 'listed') return answer;
  const isSet = settings?.orgId !== undefined && settings.orgId !== connection.settings?.orgId;
  if (!isSet || answer.organizations.some(({ id }) => id === settings.orgId)) return answer;
  const allowed = answer.organizations.map(({ id, name }) => `${id} (${name})`).join(', ') || 'none';
  const message = `must be an organization that the grant may use: ${allowed}`;
  return { kind: 'invalid_settings', issues: [{ path: 'orgId', message }] };
}
