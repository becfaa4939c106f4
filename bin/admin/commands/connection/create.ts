import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import { mergeSettings } from '../../../../shared/domain/connections/connection-settings.ts';
import { connectionTypes } from '../../../../shared/domain/connections/connection-type.ts';
import { viewConnection } from '../../../../shared/domain/connections/connection-view.ts';
import { createConnection } from '../../../../shared/operations/connections/create-connection.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { findOrg } from '../../cloud/records.ts';
import { Refusal } from '../../failures.ts';
import { facts, paragraphs } from '../../output.ts';
import { oneOf } from '../../values.ts';
import { type Answer, type OfOrg, orgOption, required, verb } from '../../verb.ts';
import {
  type ConnectionFlags,
  connectionOptions,
  hintsOn,
  invalidSettings,
  noSuchAssistant,
  readFlags,
  readSettings,
} from './flags.ts';
import { tokenHeader } from './token.ts';
import { factsOf } from './view.ts';

type Creation = ConnectionFlags & OfOrg & { type: string };

export const createVerb = verb<Creation>({
  usage: 'create',
  summary: 'Connects an organization to a CRM or a help desk; shows a new webhook token once',
  options: [
    orgOption,
    required('--type <type>', connectionTypes.join(', ')),
    ...connectionOptions({ mayRemove: false }),
  ],
  act: create,
});

async function create(cloud: Cloud, flags: Creation): Promise<Answer> {
  const type = oneOf('--type', flags.type, connectionTypes);
  const { auto_call = true, ...given } = readFlags(flags);
  const settings = readSettings(flags.settings) ?? {};
  const merged = mergeSettings(type, settings);
  if (!merged.ok) throw invalidSettings(merged.issues);
  const { org_id } = await findOrg(cloud, flags.org);
  // Read before the first write: a connection is useless without its URL.
  const publicUrl = await cloud.publicUrl();
  const wanted = { org_id, type, auto_call, ...given, ...(type !== 'crm-a' && { settings }) };
  const created = await createConnection(cloud, await cloud.operator(), wanted);
  switch (created.kind) {
    case 'created':
      return created.token === undefined
        ? showWaiting(created.connection, publicUrl)
        : showCrmA(created.connection, created.token, publicUrl);
    case 'connection_exists':
      throw connectionExists(
        org_id,
        type === 'crm-a'
          ? 'replace its token with connection rotate-token'
          : 'connect it again with connection authorize-url',
      );
    case 'invalid_settings':
      throw invalidSettings(created.issues);
    default:
      throw noSuchAssistant(created.kind, given.assistant_id, org_id);
  }
}

function showCrmA(connection: Connection, token: string, publicUrl: string): Answer {
  const { connection_id, webhook_url, ...view } = viewConnection(connection, publicUrl);
  const people = paragraphs(
    `Connection ${connection_id} was created. Save its token now; it is not shown again:\n\n  ${token}`,
    'Register two webhooks in LeadSquared, one for event 3 (lead created) and one for event 4 (owner changed), each with:',
    facts({
      URL: webhook_url,
      method: 'POST',
      'content type': 'application/json',
      'custom header': tokenHeader(token),
    }),
    ...hintsOn(connection),
    factsOf({ connection_id, webhook_url, ...view }),
  );
  return { json: { connection_id, webhook_url, token, ...view }, people };
}

/** Shows no token: CRM-B's token is given only to its watch channel, and the help desk has none. */
function showWaiting(connection: Connection, publicUrl: string): Answer {
  const json = viewConnection(connection, publicUrl);
  const people = paragraphs(
    `Connection ${json.connection_id} was created. To connect it, the customer consents at the address that this command shows:\n\n  admin connection authorize-url --connection ${json.connection_id}`,
    ...(connection.type === 'crm-b' ? hintsOn(connection) : []),
    factsOf(json),
  );
  return { json, people };
}

/** @param alternative another command for the existing connection, in words */
const connectionExists = (orgId: string, alternative: string): Refusal =>
  new Refusal(
    'connection_exists',
    `Organization ${orgId} already has a connection of this type (connection list): change it with connection update, or ${alternative}.`,
  );
