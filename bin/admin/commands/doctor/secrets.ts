import {
  DescribeSecretCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import type { SecretName } from '../../../../lib/uses.ts';
import { type DataCenter, dataCenters } from '../../../../shared/domain/connections/access/data-center.ts';
import { oauthClients } from '../../../../shared/domain/connections/access/oauth-client.ts';
import { parseJson } from '../../../../shared/domain/json.ts';
import { vapiCredentials } from '../../../../shared/integrations/voice/vapi/vapi.ts';
import { readSecret } from '../../../../shared/stores/secrets.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { permanentKeys } from '../../cloud/lost-secrets.ts';
import { type Check, type Finding, failed, findingsOr, warning } from './check.ts';
import type { CheckContext } from './check-context.ts';

const generated = ['voice-webhook-key', 'recording-link-key', ...permanentKeys] as const;
const oauth = { 'crm-b': 'crm-b-oauth', 'help-desk': 'help-desk-oauth' } as const;

const SCHEDULED = 'is scheduled for deletion';
const LOST_KEY = 'Do not create it again: see docs/runbooks/restore.md, "A secret or a key is gone".';

/** The most connections of one type that the check reads; it reads AT_ONCE of them at a time. */
const MAX_CONNECTIONS = 1_000;
const AT_ONCE = 25;

/** Checks that the secrets have values of the right shape. Values are never shown. */
export const secrets: Check = {
  name: 'secrets',
  rights: 'secretsmanager:GetSecretValue and secretsmanager:DescribeSecret',
  async examine(context) {
    await context.requireStack('data');
    const client = context.cloud.readOnlyClient(SecretsManagerClient);
    const findings = await Promise.all([
      unlessScheduled(context, client, 'voice', () => voiceKey(context, client)),
      ...generated.map((name) =>
        unlessScheduled(context, client, name, (problem) => generatedKey(context, name, problem)),
      ),
      ...(['crm-b', 'help-desk'] as const).map((type) =>
        unlessScheduled(context, client, oauth[type], () => clients(context, client, type)),
      ),
    ]);
    return findingsOr(findings.flat(), 'The secrets that the stage needs are set.');
  },
};

/**
 * Describes why a secret has no readable value; undefined if it has one. Uses the secret's description, because AWS
 * refuses to read the value of a secret that is scheduled for deletion.
 */
async function problemOf(client: SecretsManagerClient, SecretId: string): Promise<string | undefined> {
  try {
    const { VersionIdsToStages = {}, DeletedDate } = await client.send(new DescribeSecretCommand({ SecretId }));
    if (DeletedDate) return SCHEDULED;
    const hasValue = Object.values(VersionIdsToStages).some((stages) => stages?.includes('AWSCURRENT'));
    return hasValue ? undefined : 'has no value';
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return 'no longer exists';
    throw error;
  }
}

/** Runs the check of a secret's value unless the secret is scheduled for deletion. */
async function unlessScheduled(
  { cloud, aws }: CheckContext,
  client: SecretsManagerClient,
  name: SecretName,
  check: (problem: string | undefined) => Finding[] | Promise<Finding[]>,
): Promise<Finding[]> {
  const SecretId = cloud.named.secret(name);
  const problem = await problemOf(client, SecretId);
  if (problem !== SCHEDULED) return check(problem);
  return [failed(`The secret ${name} ${problem}.`, aws(`secretsmanager restore-secret --secret-id ${SecretId}`))];
}

async function voiceKey({ cloud, admin }: CheckContext, client: SecretsManagerClient): Promise<Finding[]> {
  const text = await readSecret(client, cloud.named.secret('voice'));
  return vapiCredentials.safeParse(parseJson(text ?? '')).success
    ? []
    : [failed('The secret voice is not set: no call can be dialed.', admin('secret set --name voice', 'voice.json'))];
}

function generatedKey({ admin }: CheckContext, name: SecretName, problem: string | undefined): Finding[] {
  if (!problem) return [];
  // A new value would be worse than a missing one: receipts and the numbers of erased persons depend on the old value.
  const isPermanent = permanentKeys.some((each) => each === name);
  const fix = isPermanent ? LOST_KEY : admin(`secret rotate --name ${name}`);
  return [failed(`The secret ${name} ${problem}.`, fix)];
}

async function clients(
  { cloud, admin }: CheckContext,
  client: SecretsManagerClient,
  type: keyof typeof oauth,
): Promise<Finding[]> {
  const name = oauth[type];
  const [text, { used, isAwaited, isCut }] = await Promise.all([
    readSecret(client, cloud.named.secret(name)),
    dataCentersOf(cloud, type),
  ]);
  const set = oauthClients.safeParse(parseJson(text ?? '{}'));
  const known = set.success ? Object.keys(set.data) : [];
  const missing = dataCenters.filter((each) => used.get(each) && !known.includes(each));
  return [
    ...missing.map((each) =>
      failed(
        `The secret ${name} has no client for the data center ${each}, which ${used.get(each)} connections use.`,
        admin(`secret set --name ${name} --data-center ${each}`, 'client.json'),
      ),
    ),
    ...(isAwaited && known.length === 0
      ? [
          warning(
            `The secret ${name} has no client: a connection waits for a consent that no person can give.`,
            admin(`secret set --name ${name} --data-center ${dataCenters[0]}`, 'client.json'),
          ),
        ]
      : []),
    ...(isCut ? [warning(`Only ${MAX_CONNECTIONS} connections of the type ${type} were read.`)] : []),
  ];
}

/** Counts the connections with a grant by their data centers. `isAwaited`: there is a connection without a grant. */
async function dataCentersOf({ connections }: Cloud, type: keyof typeof oauth) {
  const used = new Map<DataCenter, number>();
  const ids: string[] = [];
  let isCut = false;
  let isAwaited = false;
  for await (const id of connections.idsOfType(type)) {
    isCut = ids.length === MAX_CONNECTIONS;
    if (isCut) break;
    ids.push(id);
  }
  while (ids.length > 0)
    for (const connection of await Promise.all(ids.splice(0, AT_ONCE).map((id) => connections.get(id)))) {
      const center = connection?.grant?.data_center;
      if (center) used.set(center, (used.get(center) ?? 0) + 1);
      else isAwaited ||= connection !== undefined;
    }
  return { used, isAwaited, isCut };
}
