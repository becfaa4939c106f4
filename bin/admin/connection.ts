import type { Command } from 'commander';
import { retryableOutcomes } from '../../shared/domain/connections/activity.ts';
import { type Connection, type ConnectionType, connectionTypes } from '../../shared/domain/connections/connection.ts';
import { withoutEffect } from '../../shared/domain/connections/crm-b-settings.ts';
import { DEFAULT_DATA_CENTER, dataCenters } from '../../shared/domain/connections/data-center.ts';
import { createCrmAConnection } from '../../shared/operations/connections/create-crm-a-connection.ts';
import { createOauthConnection } from '../../shared/operations/connections/create-oauth-connection.ts';
import { rotateCrmAToken } from '../../shared/operations/connections/rotate-crm-a-token.ts';
import { storeOrganizations } from '../../shared/operations/connections/store-organizations.ts';
import { findAssistant } from './assistant.ts';
import type { Cloud } from './cloud.ts';
import { type Answer, acting, needsSome, verb } from './command.ts';
import {
  activity,
  ENTRIES_FOR_PEOPLE,
  LONGEST_PHONE,
  MOST_ENTRIES,
  type OfConnection,
  retry,
  type TestFlags,
  testEvent,
} from './connection-activity.ts';
import { disconnectConsent, rotateChannel } from './connection-channel.ts';
import { authorizeUrl, type OfDataCenter } from './connection-oauth.ts';
import { learnOrganizations } from './connection-organization.ts';
import { mergeSettings } from './connection-settings.ts';
import {
  connectionNotFound,
  factsOf,
  findConnection,
  showConnection,
  viewConnection,
  webhookUrl,
} from './connection-view.ts';
import { Refusal } from './failures.ts';
import { findOrg } from './org.ts';
import { facts, table } from './output.ts';
import { NONE, oneOf, text } from './values.ts';

type Flags = { assistant?: string; owner?: string; autoCall?: string; settings?: string };
type Creation = Flags & { org: string; type: string };

/** Connections: the CRMs whose leads are called, and the help desk that gets tickets. */
export function addConnection(program: Command): void {
  const noun = program.command('connection').description('the CRMs whose leads are called, and the help desk');
  const create = verb(noun, 'create', 'connects an org to its CRM or help desk; a webhook token is shown only now')
    .requiredOption('--org <id>', 'the org')
    .requiredOption('--type <type>', connectionTypes.join(', '));
  withSettings(create, '').action(acting<Creation>(connect));
  withSettings(ofConnection(verb(noun, 'update', 'changes a connection')), ` ("${NONE}": nobody)`).action(
    acting<OfConnection & Flags>(update),
  );
  ofConnection(verb(noun, 'show', 'a connection and its health')).action(
    acting<OfConnection>((cloud, { connection }) => showConnection(cloud, connection)),
  );
  verb(noun, 'list', 'the connections of an org')
    .requiredOption('--org <id>', 'the org')
    .action(acting<{ org: string }>(list));
  ofConnection(
    verb(noun, 'rotate-token', 'a new webhook token; the old one ends at once. crm-b: a new watch channel'),
  ).action(acting<OfConnection>(rotateToken));
  ofConnection(verb(noun, 'authorize-url', 'where to consent that crm-b or the help desk is connected'))
    .option('--data-center <name>', `of the customer: ${dataCenters.join(', ')} (default: ${DEFAULT_DATA_CENTER})`)
    .action(acting<OfConnection & OfDataCenter>(authorizeUrl));
  ofConnection(verb(noun, 'disconnect', 'ends the connection; its settings and history stay')).action(
    acting<OfConnection>(disconnect),
  );
  ofConnection(verb(noun, 'activity', 'what came in and what became of it, newest first'))
    .option('--limit <n>', `entries, up to ${MOST_ENTRIES} (default: all of them, ${ENTRIES_FOR_PEOPLE} in a table)`)
    .action(acting<OfConnection & { limit?: string }>(activity));
  ofConnection(verb(noun, 'test-event', 'a lead of your own: a real call, and nothing is written to the CRM'))
    .option('--phone <number>', `as the CRM would write it, up to ${LONGEST_PHONE} characters`)
    .option('--owner <id>', "the lead's owner (default: the one whose leads are called)")
    .option('--first-name <text>', "the lead's")
    .action(acting<OfConnection & TestFlags>(testEvent));
  ofConnection(verb(noun, 'retry', 'decides anew about the leads of an outcome; none is called twice'))
    .requiredOption('--outcome <outcome>', retryableOutcomes.join(', '))
    .requiredOption('--since <instant>', 'ISO 8601: when they came in, at the earliest')
    .action(acting<OfConnection & { outcome: string; since: string }>(retry));
}

const ofConnection = (command: Command): Command => command.requiredOption('--connection <id>', 'the connection');

const withSettings = (command: Command, removal: string): Command =>
  command
    .option('--assistant <id>', `who conducts the calls${removal}`)
    .option('--owner <id>', `the CRM's user whose leads are called${removal}`)
    .option('--auto-call <on|off>', `off: events come in, nobody is called${removal ? '' : ' (default: on)'}`)
    .option(
      '--settings <json>',
      'a JSON object, merged into the settings of its type (null takes one away); crm-a has none',
    );

/** @returns what the flags set besides the settings of the type; undefined = not given, or taken away. */
function readFlags({ assistant, owner, autoCall }: Flags) {
  return {
    assistant_id: assistant === undefined || assistant === NONE ? undefined : assistant,
    trigger_owner_user_id: owner === undefined || owner === NONE ? undefined : text('--owner', owner),
    auto_call: autoCall === undefined ? undefined : oneOf('--auto-call', autoCall, ['on', 'off']) === 'on',
  };
}

/** @throws Refusal unless the org has the assistant. */
async function ensureAssistant(cloud: Cloud, assistantId: string, orgId: string): Promise<void> {
  const { org_id } = await findAssistant(cloud, assistantId);
  if (org_id !== orgId)
    throw new Refusal('assistant_wrong_org', `The assistant ${assistantId} belongs to another org than ${orgId}.`);
}

type Wanted = Pick<Connection, 'org_id' | 'auto_call' | 'assistant_id' | 'trigger_owner_user_id'>;

async function connect(cloud: Cloud, flags: Creation): Promise<Answer> {
  const type = oneOf('--type', flags.type, connectionTypes);
  const { auto_call = true, ...given } = readFlags(flags);
  const settings = mergeSettings(type, flags.settings);
  const { org_id } = await findOrg(cloud, flags.org);
  if (given.assistant_id !== undefined) await ensureAssistant(cloud, given.assistant_id, org_id);
  // Before anything is written: without its URL the CRM could not be told.
  const publicUrl = await cloud.publicUrl();
  const wanted = { org_id, auto_call, ...given };
  return type === 'crm-a'
    ? createCrmA(cloud, wanted, publicUrl)
    : createByOauth(cloud, { ...wanted, type, settings }, publicUrl);
}

async function createCrmA(cloud: Cloud, wanted: Wanted, publicUrl: string): Promise<Answer> {
  const connected = await createCrmAConnection(cloud, wanted);
  if (!connected) throw alreadyConnected(wanted.org_id, ', or give it a new token with connection rotate-token');
  const { connection, token } = connected;
  const { connection_id, webhook_url, ...view } = viewConnection(connection, publicUrl);
  const people = [
    `The connection ${connection_id} is created. Keep its token now; it is not shown again:\n\n  ${token}`,
    'Register two webhooks in LeadSquared, one for event 3 (lead created) and one for event 4 (owner changed), each with:',
    facts({
      URL: webhook_url,
      method: 'POST',
      'content type': 'application/json',
      'custom header': headerOf(token),
    }),
    ...whatIsMissing(connection),
    factsOf({ connection_id, webhook_url, ...view }),
  ];
  return { json: { connection_id, webhook_url, token, ...view }, people: people.join('\n\n') };
}

/** No token is shown: CRM-B's goes to its watch channel alone, and the help desk has none. */
async function createByOauth(
  cloud: Cloud,
  wanted: Wanted & Required<Pick<Connection, 'settings'>> & { type: Exclude<ConnectionType, 'crm-a'> },
  publicUrl: string,
): Promise<Answer> {
  const connection = await createOauthConnection(cloud, wanted);
  if (!connection) throw alreadyConnected(wanted.org_id, ', or connect it anew with connection authorize-url');
  const json = viewConnection(connection, publicUrl);
  const people = [
    `The connection ${json.connection_id} is created. The customer's consent connects it: open the address that this tells.\n\n  admin connection authorize-url --connection ${json.connection_id}`,
    ...(connection.type === 'crm-b' ? whatIsMissing(connection) : []),
    factsOf(json),
  ];
  return { json, people: people.join('\n\n') };
}

/** @param instead what else can be done about it. */
const alreadyConnected = (orgId: string, instead: string): Refusal =>
  new Refusal(
    'connection_exists',
    `The org ${orgId} is connected already (connection list): change it with connection update${instead}.`,
  );

const whatIsMissing = (connection: Connection): string[] => [
  ...(connection.assistant_id === undefined || connection.trigger_owner_user_id === undefined
    ? ['Nobody is called until it has an assistant and an owner: connection update.']
    : []),
  ...withoutEffect(connection),
];

const headerOf = (token: string): string => `X-CRMA-Webhook-Token: ${token}`;

async function update(cloud: Cloud, { connection: id, ...flags }: OfConnection & Flags): Promise<Answer> {
  const { assistant, owner, autoCall, settings } = flags;
  needsSome({ assistant, owner, autoCall, settings }, '--assistant, --owner, --auto-call, --settings');
  const set = readFlags(flags);
  const remove = Object.entries({ assistant_id: assistant, trigger_owner_user_id: owner }).flatMap(
    ([attribute, value]) => (value === NONE ? [attribute as 'assistant_id' | 'trigger_owner_user_id'] : []),
  );
  const connection = await findConnection(cloud, id);
  const { org_id, type, settings: stored } = connection;
  const merged = settings === undefined ? undefined : mergeSettings(type, settings, stored);
  if (set.assistant_id !== undefined) await ensureAssistant(cloud, set.assistant_id, org_id);
  const { organizations, failure } = await learnOrganizations(cloud, connection, merged);
  if (!(await cloud.connections.update(id, { ...set, settings: merged }, remove))) throw connectionNotFound(id);
  if (organizations) await storeOrganizations(cloud, connection, organizations);
  const missing = withoutEffect(await findConnection(cloud, id));
  const sentences = [
    `The connection is changed: the next ${type === 'help-desk' ? 'ticket' : 'event'} goes by it.`,
    ...missing,
    ...(failure ? [failure] : []),
  ];
  return showConnection(cloud, id, sentences.join('\n'));
}

async function list(cloud: Cloud, flags: { org: string }): Promise<Answer> {
  const { org_id } = await findOrg(cloud, flags.org);
  const publicUrl = await cloud.publicUrl();
  const connections = (await cloud.connections.listOfOrg(org_id)).map((one) => viewConnection(one, publicUrl));
  const rows = connections.map((one) => [
    one.connection_id,
    one.type,
    one.health.status,
    one.auto_call,
    one.assistant_id,
    one.trigger_owner_user_id,
    one.health.last_delivery_at,
    one.health.channel_expiry,
  ]);
  return {
    json: { connections },
    people: table(
      ['connection_id', 'type', 'health', 'auto_call', 'assistant', 'owner', 'last_delivery_at', 'channel_expiry'],
      rows,
      'The org has no connection.',
    ),
  };
}

async function rotateToken(cloud: Cloud, { connection: id }: OfConnection): Promise<Answer> {
  const [connection, publicUrl] = await Promise.all([findConnection(cloud, id), cloud.publicUrl()]);
  if (connection.type !== 'crm-a') return rotateChannel(cloud, connection);
  const token = await rotateCrmAToken(cloud, id);
  if (token === undefined) throw connectionNotFound(id);
  const webhook_url = webhookUrl(publicUrl, connection);
  const people = [
    `The connection ${id} has a new token; the old one has stopped working. Keep it now; it is not shown again:\n\n  ${token}`,
    `Replace the custom header in both webhooks of LeadSquared (${webhook_url}):\n\n  ${headerOf(token)}`,
    'LeadSquared turns a webhook off after 10 failures in a row: look there, and turn it on again.',
  ];
  return { json: { connection_id: id, webhook_url, token }, people: people.join('\n\n') };
}

async function disconnect(cloud: Cloud, { connection: id }: OfConnection): Promise<Answer> {
  const connection = await findConnection(cloud, id);
  if (connection.type !== 'crm-a') return disconnectConsent(cloud, connection);
  if (!(await cloud.connections.update(id, {}, ['token_hash']))) throw connectionNotFound(id);
  return showConnection(
    cloud,
    id,
    'The connection is off: its webhook answers 401, and what is queued calls nobody. connection rotate-token connects again.',
  );
}
