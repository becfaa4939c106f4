import { type Connection, connectionTypes } from '../../../../shared/domain/connections/connection.ts';
import type { OauthType } from '../../../../shared/domain/connections/consent.ts';
import { createCrmAConnection } from '../../../../shared/operations/connections/create-crm-a-connection.ts';
import { createOauthConnection } from '../../../../shared/operations/connections/create-oauth-connection.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { findOrg } from '../../cloud/records.ts';
import { Refusal } from '../../failures.ts';
import { facts, paragraphs } from '../../output.ts';
import { oneOf } from '../../values.ts';
import { type Answer, type OfOrg, orgOption, required, verb } from '../../verb.ts';
import { type ConnectionFlags, connectionOptions, hintsOn, readFlags, requireAssistant } from './flags.ts';
import { mergeSettings } from './settings.ts';
import { tokenHeader } from './token.ts';
import { factsOf, viewConnection } from './view.ts';

type Creation = ConnectionFlags & OfOrg & { type: string };
type Wanted = Pick<Connection, 'org_id' | 'auto_call' | 'assistant_id' | 'trigger_owner_user_id'>;

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
  const settings = mergeSettings(type, flags.settings);
  const { org_id } = await findOrg(cloud, flags.org);
  if (given.assistant_id !== undefined) await requireAssistant(cloud, given.assistant_id, org_id);
  // Read before the first write: a connection is useless without its URL.
  const publicUrl = await cloud.publicUrl();
  const wanted = { org_id, auto_call, ...given };
  return type === 'crm-a'
    ? createCrmA(cloud, wanted, publicUrl)
    : createByConsent(cloud, { ...wanted, type, settings }, publicUrl);
}

async function createCrmA(cloud: Cloud, wanted: Wanted, publicUrl: string): Promise<Answer> {
  const connected = await createCrmAConnection(cloud, wanted);
  if (!connected) throw connectionExists(wanted.org_id, 'replace its token with connection rotate-token');
  const { connection, token } = connected;
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
async function createByConsent(
  cloud: Cloud,
  wanted: Wanted & Required<Pick<Connection, 'settings'>> & { type: OauthType },
  publicUrl: string,
): Promise<Answer> {
  const connection = await createOauthConnection(cloud, wanted);
  if (!connection) throw connectionExists(wanted.org_id, 'connect it again with connection authorize-url');
  const json = viewConnection(connection, publicUrl);
  const people = paragraphs(
    `Connection ${json.connection_id} was created. The customer's consent connects it, at the address from:\n\n  admin connection authorize-url --connection ${json.connection_id}`,
    ...(connection.type === 'crm-b' ? hintsOn(connection) : []),
    factsOf(json),
  );
  return { json, people };
}

/** @param alternative to a change of the existing connection. */
const connectionExists = (orgId: string, alternative: string): Refusal =>
  new Refusal(
    'connection_exists',
    `Organization ${orgId} already has such a connection (connection list): change it with connection update, or ${alternative}.`,
  );
