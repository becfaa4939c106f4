import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import { withoutEffect } from '../../../../shared/domain/connections/crm-b-settings.ts';
import { unlisted } from '../../../../shared/domain/connections/help-desk-organization.ts';
import { listOrganizations } from '../../../../shared/operations/connections/list-organizations.ts';
import { updateConnection } from '../../../../shared/operations/connections/update-connection.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { connectionNotFound, findConnection } from '../../cloud/records.ts';
import { NONE } from '../../values.ts';
import { type Answer, connectionOption, type OfConnection, requireChange, verb } from '../../verb.ts';
import {
  type ConnectionFlags,
  connectionOptions,
  invalidSettings,
  noSuchAssistant,
  readFlags,
  readSettings,
} from './flags.ts';
import { organizationDeps } from './remote.ts';
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
  const given = readFlags(flags);
  const edit = {
    ...given,
    ...(assistant === NONE && { assistant_id: null }),
    ...(owner === NONE && { trigger_owner_user_id: null }),
    settings: readSettings(settings),
  };
  const connection = await findConnection(cloud, id);
  const deps = {
    ...cloud,
    listOrganizations: async (one: Connection) => listOrganizations(await organizationDeps(cloud), one),
  };
  const result = await updateConnection(deps, await cloud.operator(), connection, edit);
  switch (result.kind) {
    case 'updated':
      return showConnection(
        cloud,
        id,
        `The connection was changed: the next ${connection.type === 'help-desk' ? 'ticket' : 'event'} uses the new settings.`,
        ...withoutEffect(result.connection),
        ...(result.unlisted ? [unlisted(result.unlisted)] : []),
      );
    case 'invalid_settings':
      throw invalidSettings(result.issues);
    case 'connection_not_found':
    case 'changed_meanwhile':
      throw connectionNotFound(id);
    default:
      throw noSuchAssistant(result.kind, given.assistant_id, connection.org_id);
  }
}
