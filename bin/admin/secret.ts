import { randomBytes } from 'node:crypto';
import { ListSecretVersionIdsCommand } from '@aws-sdk/client-secrets-manager';
import type { Command } from 'commander';
import * as z from 'zod/mini';
import type { SecretName } from '../../lib/functions.ts';
import { vapiCredentials } from '../../shared/integrations/voice/vapi/vapi.ts';
import { putSecret } from '../../shared/stores/secrets.ts';
import type { Cloud } from './cloud.ts';
import { type Answer, acting, verb } from './command.ts';
import { table, write } from './output.ts';
import { invalid, json, oneOf } from './values.ts';

/** What operators set, with the shape that its readers expect; a member that nobody reads is a slip of the pen. */
const settable = { voice: z.strictObject(vapiCredentials.shape) } as const;
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
    .action(acting<{ name: string }>(set));
  verb(noun, 'list', 'the secrets and their versions, without values').action(acting(list));
  verb(noun, 'rotate', 'makes a new key; the one before stays valid beside it')
    .requiredOption('--name <name>', generated.join(', '))
    .action(acting<{ name: string }>(rotate));
}

async function set(cloud: Cloud, flags: { name: string }): Promise<Answer> {
  const name = oneOf('--name', flags.name, settableNames);
  if (process.stdin.isTTY) await write(process.stderr, `The JSON of ${name}, then Ctrl-D:\n`);
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  const parsed = settable[name].safeParse(json('Standard input', Buffer.concat(chunks).toString('utf8')));
  // Members are named, values never.
  if (!parsed.success) throw invalid(`The secret is not accepted. ${parsed.error.issues.map(nameIssue).join('; ')}.`);
  const empty = Object.entries(parsed.data).find(([, value]) => value?.trim() === '');
  if (empty) throw invalid(`The secret is not accepted. ${empty[0]}: empty.`);
  return tell(
    cloud,
    name,
    await putSecret(cloud.secrets, cloud.named.secret(name), JSON.stringify(parsed.data)),
    'set',
  );
}

const nameIssue = ({ path, code, ...issue }: z.core.$ZodIssue): string =>
  code === 'unrecognized_keys' && 'keys' in issue
    ? `unknown: ${issue.keys.join(', ')}`
    : `${path.join('.') || 'the JSON'}: missing, or of another kind`;

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
