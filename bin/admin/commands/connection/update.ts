import { withoutEffect } from '../../../../shared/domain/connections/crm-b-settings.ts';
import { storeOrganizations } from '../../../../shared/operations/connections/store-organizations.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { connectionNotFound, findConnection } from '../../cloud/records.ts';
import { NONE } from '../../values.ts';
import { type Answer, connectionOption, type OfConnection, requireChange, verb } from '../../verb.ts';
import { type ConnectionFlags, connectionOptions, readFlags, requireAssistant } from './flags.ts';
import { fetchOrganizations } from './organizations.ts';
import { mergeSettings } from './settings.ts';
import { showConnection } from './view.ts';

type Change = ConnectionFlags & OfConnection;

export const updateVerb = verb<Change>({
  usage: 'update',
  summary: 'Changes a connection',
  options: [connectionOption, ...connectionOptions({ mayRemove: true })],
  act: update,
});

async function update(cloud: Cloud, { connection: id, ...flags }: Change): Promise<Answer> {
  const { assistant, owner, autoCall, settings } = flags;
  requireChange({ assistant, owner, autoCall, settings }, '--assistant, --owner, --auto-call, --settings');
  const set = readFlags(flags);
  const remove = Object.entries({ assistant_id: assistant, trigger_owner_user_id: owner }).flatMap(
    ([attribute, value]) => (value === NONE ? [attribute as 'assistant_id' | 'trigger_owner_user_id'] : []),
  );
  const connection = await findConnection(cloud, id);
  const { org_id, type, settings: stored } = connection;
  const merged = settings === undefined ? undefined : mergeSettings(type, settings, stored);
  if (set.assistant_id !== undefined) await requireAssistant(cloud, set.assistant_id, org_id);
  const { organizations, failure } = await fetchOrganizations(cloud, connection, merged);
  if (!(await cloud.connections.update(id, { ...set, settings: merged }, remove))) throw connectionNotFound(id);
  if (organizations) await storeOrganizations(cloud, connection, organizations);
  return showConnection(
    cloud,
    id,
    `The connection was changed: the next ${type === 'help-desk' ? 'ticket' : 'event'} uses the new settings.`,
    ...withoutEffect(await findConnection(cloud, id)),
    ...(failure ? [failure] : []),
  );
}
