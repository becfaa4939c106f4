import { randomBytes } from 'node:crypto';
import { ListSecretVersionIdsCommand, ResourceNotFoundException } from '@aws-sdk/client-secrets-manager';
import * as z from 'zod/mini';
import type { SecretName } from '../../../lib/uses.ts';
import {
  type OauthClients,
  oauthClient,
  oauthClients,
} from '../../../shared/domain/connections/access/oauth-client.ts';
import { vapiCredentials } from '../../../shared/integrations/voice/vapi/vapi.ts';
import type { Cloud } from '../cloud/cloud.ts';
import { permanentKeys, type Replaceable, readReplaceable, storeSecret } from '../cloud/lost-secrets.ts';
import { noteOperatorAction } from '../cloud/stage-log.ts';
import { type DataCenterFlags, dataCenterOption, readDataCenter } from '../data-center.ts';
import { Refusal } from '../failures.ts';
import { table } from '../output.ts';
import { invalid, json, oneOf } from '../values.ts';
import { type Answer, type Invocation, type Noun, required, verb } from '../verb.ts';

/** The secrets that operators set. Unknown members are refused: they are probably typing errors. */
const settable = {
  voice: z.strictObject(vapiCredentials.shape),
  'crm-b-oauth': oauthClient,
  'help-desk-oauth': oauthClient,
} as const;
/** The secrets with one value per data center. */
const perDataCenter = ['crm-b-oauth', 'help-desk-oauth'] as const satisfies (keyof typeof settable)[];
/** The secrets that the service generates for itself. */
const generated = ['voice-webhook-key', 'recording-link-key'] as const;

type Settable = keyof typeof settable;
const settableNames = Object.keys(settable) as Settable[];
const secretNames: readonly SecretName[] = [...settableNames, ...generated, ...permanentKeys];

const KEY_BYTES = 32;

type Setting = DataCenterFlags & { name: string };

export const secret: Noun = {
  name: 'secret',
  summary: 'Credentials of remote systems, and keys of the service',
  verbs: [
    verb<Setting>({
      usage: 'set',
      summary: 'Sets a secret from the JSON on standard input',
      options: [
        required('--name <name>', settableNames.join(', ')),
        dataCenterOption(`data center to set, of ${perDataCenter.join(' and ')}`),
      ],
      act: set,
    }),
    verb({ usage: 'list', summary: 'Lists the secrets and their versions, without values', act: list }),
    verb<{ name: string }>({
      usage: 'rotate',
      summary: 'Replaces a generated key; the previous key stays valid until the next rotation',
      options: [required('--name <name>', generated.join(', '))],
      act: rotate,
    }),
  ],
};

async function set(cloud: Cloud, flags: Setting, { readInput }: Invocation): Promise<Answer> {
  refusePermanent(flags.name);
  const name = oneOf('--name', flags.name, settableNames);
  const hasDataCenters = perDataCenter.some((each) => each === name);
  if (!hasDataCenters && flags.dataCenter !== undefined)
    throw invalid(`--data-center applies only to ${perDataCenter.join(' and ')}: ${name} has a single value.`);
  const dataCenter = hasDataCenters ? readDataCenter(flags) : undefined;
  const given = readValue(settable[name], await readInput(`Enter the JSON of ${name}, then press Ctrl-D:`));
  // The entry precedes the read, which may cancel the secret's deletion.
  await noteOperatorAction(cloud, 'secret.set', name, dataCenter && { data_center: dataCenter });
  const value = dataCenter ? { ...(await storedClients(cloud, name)), [dataCenter]: given } : given;
  return replace(cloud, name, JSON.stringify(value), dataCenter ? `was set for data center ${dataCenter}` : 'was set');
}

/** @throws Refusal permanent_key */
function refusePermanent(name: string): void {
  if (permanentKeys.some((each) => each === name))
    throw new Refusal(
      'permanent_key',
      `${name} is never replaced or created again, because receipts and the numbers of erased persons depend on it. If it is gone: docs/runbooks/restore.md, "A secret or a key is gone".`,
    );
}

/** @throws Refusal naming members, never values. */
function readValue(schema: (typeof settable)[Settable], content: string): object {
  const parsed = schema.safeParse(json('Standard input', content));
  if (!parsed.success) throw invalid(`The secret is invalid. ${parsed.error.issues.map(describe).join('; ')}.`);
  const empty = Object.entries(parsed.data).find(([, value]) => value?.trim() === '');
  if (empty) throw invalid(`The secret is invalid. ${empty[0]}: empty.`);
  return parsed.data;
}

const describe = ({ path, code, ...issue }: z.core.$ZodIssue): string =>
  code === 'unrecognized_keys' && 'keys' in issue
    ? `unknown members: ${issue.keys.join(', ')}`
    : `${path.join('.') || 'the JSON'}: ${code === 'too_small' ? 'empty' : 'missing, or of the wrong type'}`;

/** @throws Refusal invalid_secret if the stored value has another shape: merging would lose it. */
async function storedClients(cloud: Cloud, name: Settable): Promise<OauthClients> {
  const text = await readReplaceable(cloud, name);
  const clients = oauthClients.safeParse(isJson(text) ? JSON.parse(text) : {});
  if (!clients.success)
    throw new Refusal('invalid_secret', `The stored value of ${cloud.named.secret(name)} has no OAuth clients.`);
  return clients.data;
}

/** Until an operator sets a secret, it has a random password, which the CDK requests for every secret. */
function isJson(text: string | undefined): text is string {
  try {
    return text !== undefined && JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}

async function rotate(cloud: Cloud, flags: { name: string }): Promise<Answer> {
  refusePermanent(flags.name);
  const name = oneOf('--name', flags.name, generated);
  await noteOperatorAction(cloud, 'secret.rotated', name);
  return replace(cloud, name, randomBytes(KEY_BYTES).toString('hex'), 'was replaced');
}

async function replace(cloud: Cloud, name: Replaceable, value: string, done: string): Promise<Answer> {
  const id = cloud.named.secret(name);
  const { version, isCreated } = await storeSecret(cloud, name, value);
  const began = `${id} ${isCreated ? 'no longer existed, and was created again' : done} (version ${version}).`;
  const previous = isCreated ? '' : '; the previous version stays readable as AWSPREVIOUS';
  return {
    json: { name, secret: id, version_id: version ?? null },
    people: `${began} Functions use it within five minutes${previous}.`,
  };
}

async function list(cloud: Cloud): Promise<Answer> {
  const lost: unknown[] = [];
  const secrets = await Promise.all(
    secretNames.map(async (name) => {
      const id = cloud.named.secret(name);
      const versions = await versionsOf(cloud, id).catch((error: unknown) => {
        if (!(error instanceof ResourceNotFoundException)) throw error;
        lost.push(error);
        return [];
      });
      return { name, secret: id, versions };
    }),
  );
  // A stage may lose single secrets; without any, it is not deployed.
  if (lost.length === secretNames.length) throw lost[0];
  const rows = secrets.flatMap(({ secret: id, versions }) =>
    versions.map((version) => [id, version.version_id, version.stages.join(', '), version.created_at]),
  );
  return {
    json: { secrets },
    people: table(['secret', 'version', 'stages', 'created_at'], rows, 'No secret has a value yet.'),
  };
}

/** Lists the versions of a secret, the newest first. */
async function versionsOf(cloud: Cloud, SecretId: string) {
  const { Versions = [] } = await cloud.secrets.send(new ListSecretVersionIdsCommand({ SecretId }));
  return Versions.map(({ VersionId, VersionStages = [], CreatedDate }) => ({
    version_id: VersionId ?? null,
    stages: VersionStages,
    created_at: CreatedDate?.toISOString() ?? null,
  })).sort((one, other) => (other.created_at ?? '').localeCompare(one.created_at ?? ''));
}
