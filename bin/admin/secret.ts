import { randomBytes } from 'node:crypto';
import { ListSecretVersionIdsCommand } from '@aws-sdk/client-secrets-manager';
import type { Command } from 'commander';
import * as z from 'zod/mini';
import type { SecretName } from '../../lib/uses.ts';
import { DEFAULT_DATA_CENTER, dataCenters } from '../../shared/domain/connections/data-center.ts';
import { type OauthClients, oauthClient, oauthClients } from '../../shared/domain/connections/oauth-client.ts';
import { vapiCredentials } from '../../shared/integrations/voice/vapi/vapi.ts';
import { putSecret, readSecret } from '../../shared/stores/secrets.ts';
import type { Cloud } from './cloud.ts';
import { type Answer, acting, verb } from './command.ts';
import { type OfDataCenter, readDataCenter } from './connection-oauth.ts';
import { Refusal } from './failures.ts';
import { table, write } from './output.ts';
import { invalid, json, oneOf } from './values.ts';

/** What operators set, with the shape that its readers expect; a member that nobody reads is a slip of the pen. */
const settable = {
  voice: z.strictObject(vapiCredentials.shape),
  'crm-b-oauth': oauthClient,
  'help-desk-oauth': oauthClient,
} as const;
/** Those that hold one value for each data center. */
const ofDataCenters = ['crm-b-oauth', 'help-desk-oauth'] as const satisfies (keyof typeof settable)[];
/** What the service makes for itself. */
const generated = ['voice-webhook-key', 'recording-link-key'] as const;

type Settable = keyof typeof settable;
const settableNames = Object.keys(settable) as Settable[];
const secretNames: readonly SecretName[] = [...settableNames, ...generated];

const KEY_BYTES = 32; // 64 characters in hex

/** Secrets: set and replaced, never shown. */
export function addSecret(program: Command): void {
  const noun = program.command('secret').description('keys of the systems that the service works with');
  verb(noun, 'set', 'sets a secret from the JSON on standard input')
    .requiredOption('--name <name>', settableNames.join(', '))
    .option(
      '--data-center <name>',
      `of ${ofDataCenters.join(' and ')}: ${dataCenters.join(', ')} (default: ${DEFAULT_DATA_CENTER}); the others stay`,
    )
    .action(acting<Setting>(set));
  verb(noun, 'list', 'the secrets and their versions, without values').action(acting(list));
  verb(noun, 'rotate', 'makes a new key; the one before stays valid beside it')
    .requiredOption('--name <name>', generated.join(', '))
    .action(acting<{ name: string }>(rotate));
}

type Setting = OfDataCenter & { name: string };

async function set(cloud: Cloud, flags: Setting): Promise<Answer> {
  const name = oneOf('--name', flags.name, settableNames);
  const isOfDataCenters = ofDataCenters.some((each) => each === name);
  if (!isOfDataCenters && flags.dataCenter !== undefined)
    throw invalid(`--data-center is for ${ofDataCenters.join(' and ')}: ${name} has one value.`);
  const dataCenter = isOfDataCenters ? readDataCenter(flags) : undefined;
  if (process.stdin.isTTY) await write(process.stderr, `The JSON of ${name}, then Ctrl-D:\n`);
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  const given = readValue(settable[name], Buffer.concat(chunks).toString('utf8'));
  const value = dataCenter ? { ...(await storedClients(cloud, name)), [dataCenter]: given } : given;
  const version = await putSecret(cloud.secrets, cloud.named.secret(name), JSON.stringify(value));
  return tell(cloud, name, version, dataCenter ? `set for ${dataCenter}` : 'set');
}

/** @throws Refusal naming members, never values. */
function readValue(schema: (typeof settable)[Settable], content: string): object {
  const parsed = schema.safeParse(json('Standard input', content));
  if (!parsed.success) throw invalid(`The secret is not accepted. ${parsed.error.issues.map(nameIssue).join('; ')}.`);
  const empty = Object.entries(parsed.data).find(([, value]) => value?.trim() === '');
  if (empty) throw invalid(`The secret is not accepted. ${empty[0]}: empty.`);
  return parsed.data;
}

/** @throws Refusal where what stands there has another shape: it would be lost. */
async function storedClients(cloud: Cloud, name: Settable): Promise<OauthClients> {
  const text = await readSecret(cloud.secrets, cloud.named.secret(name));
  const stored = oauthClients.safeParse(text === undefined ? {} : json('The stored secret', text));
  if (!stored.success) throw new Refusal('invalid_secret', `${cloud.named.secret(name)} holds no OAuth clients.`);
  return stored.data;
}

const nameIssue = ({ path, code, ...issue }: z.core.$ZodIssue): string =>
  code === 'unrecognized_keys' && 'keys' in issue
    ? `unknown: ${issue.keys.join(', ')}`
    : `${path.join('.') || 'the JSON'}: ${code === 'too_small' ? 'empty' : 'missing, or of another kind'}`;

async function rotate(cloud: Cloud, flags: { name: string }): Promise<Answer> {
  const name = oneOf('--name', flags.name, generated);
  const key = randomBytes(KEY_BYTES).toString('hex');
  return tell(cloud, name, await putSecret(cloud.secrets, cloud.named.secret(name), key), 'replaced');
}

function tell(cloud: Cloud, name: SecretName, version: string | undefined, done: string): Answer {
  return {
    json: { name, secret: cloud.named.secret(name), version_id: version ?? null },
    people: `${cloud.named.secret(name)} is ${done} (version ${version}). Functions use it within five minutes; the version before stays readable as AWSPREVIOUS.`,
  };
}

async function list(cloud: Cloud): Promise<Answer> {
  const secrets = await Promise.all(
    secretNames.map(async (name) => {
      const secret = cloud.named.secret(name);
      const { Versions = [] } = await cloud.secrets.send(new ListSecretVersionIdsCommand({ SecretId: secret }));
      const versions = Versions.map(({ VersionId, VersionStages = [], CreatedDate }) => ({
        version_id: VersionId ?? null,
        stages: VersionStages,
        created_at: CreatedDate?.toISOString() ?? null,
      })).sort((one, other) => (other.created_at ?? '').localeCompare(one.created_at ?? ''));
      return { name, secret, versions };
    }),
  );
  const rows = secrets.flatMap(({ secret, versions }) =>
    versions.map((version) => [secret, version.version_id, version.stages.join(', '), version.created_at]),
  );
  return {
    json: { secrets },
    people: table(['secret', 'version', 'stages', 'created_at'], rows, 'No secret has a value yet.'),
  };
}
