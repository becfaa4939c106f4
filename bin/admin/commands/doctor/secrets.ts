import { DescribeSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { SecretName } from '../../../../lib/uses.ts';
import { type DataCenter, dataCenters } from '../../../../shared/domain/connections/access/data-center.ts';
import { oauthClients } from '../../../../shared/domain/connections/access/oauth-client.ts';
import { vapiCredentials } from '../../../../shared/integrations/voice/vapi/vapi.ts';
import { readSecret } from '../../../../shared/stores/secrets.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { type Check, type Finding, failed, findingsOr, warning } from './check.ts';
import type { CheckContext } from './check-context.ts';

const generated = ['voice-webhook-key', 'recording-link-key', 'person-key', 'do-not-call-key'] as const;
const oauth = { 'crm-b': 'crm-b-oauth', 'help-desk': 'help-desk-oauth' } as const;

/** The most connections of one type that are read, AT_ONCE of them at a time. */
const MOST_CONNECTIONS = 1_000;
const AT_ONCE = 25;

/** Checks that the secrets have values of the right shape. Values are never shown. */
export const secrets: Check = {
  name: 'secrets',
  rights: 'secretsmanager:GetSecretValue and secretsmanager:DescribeSecret',
  async examine(context) {
    await context.requireStack('data');
    const client = context.cloud.readOnlyClient(SecretsManagerClient);
    const findings = await Promise.all([
      voiceKey(context, client),
      ...generated.map((name) => generatedKey(context, client, name)),
      ...(['crm-b', 'help-desk'] as const).map((type) => clients(context, client, type)),
    ]);
    return findingsOr(findings.flat(), 'The secrets that the stage needs are set.');
  },
};

async function voiceKey({ cloud, admin }: CheckContext, client: SecretsManagerClient): Promise<Finding[]> {
  const isSet = vapiCredentials.safeParse(json(await readSecret(client, cloud.named.secret('voice')))).success;
  return isSet
    ? []
    : [failed('The secret voice is not set: no call can be dialed.', admin('secret set --name voice', 'voice.json'))];
}

async function generatedKey(
  { cloud, aws }: CheckContext,
  client: SecretsManagerClient,
  name: SecretName,
): Promise<Finding[]> {
  const SecretId = cloud.named.secret(name);
  const { VersionIdsToStages = {}, DeletedDate } = await client.send(new DescribeSecretCommand({ SecretId }));
  if (DeletedDate)
    return [
      failed(
        `The secret ${name} is scheduled for deletion.`,
        aws(`secretsmanager restore-secret --secret-id ${SecretId}`),
      ),
    ];
  const hasValue = Object.values(VersionIdsToStages).some((stages) => stages?.includes('AWSCURRENT'));
  return hasValue
    ? []
    : [failed(`The secret ${name} has no value.`, `npx cdk deploy data -c stage=${cloud.place.stage}`)];
}

async function clients(
  { cloud, admin }: CheckContext,
  client: SecretsManagerClient,
  type: keyof typeof oauth,
): Promise<Finding[]> {
  const name = oauth[type];
  const [text, { used, isCut }] = await Promise.all([
    readSecret(client, cloud.named.secret(name)),
    dataCentersOf(cloud, type),
  ]);
  const set = oauthClients.safeParse(json(text ?? '{}'));
  const known = set.success ? Object.keys(set.data) : [];
  const missing = dataCenters.filter((each) => used.get(each) && !known.includes(each));
  return [
    ...missing.map((each) =>
      failed(
        `The secret ${name} has no client of the data center ${each}, which ${used.get(each)} connections use.`,
        admin(`secret set --name ${name} --data-center ${each}`, 'client.json'),
      ),
    ),
    ...(isCut ? [warning(`Only ${MOST_CONNECTIONS} connections of the type ${type} were read.`)] : []),
  ];
}

/** Counts the connections with a grant by their data centers. */
async function dataCentersOf({ connections }: Cloud, type: keyof typeof oauth) {
  const used = new Map<DataCenter, number>();
  const ids: string[] = [];
  let isCut = false;
  for await (const id of connections.idsOfType(type)) {
    isCut = ids.length === MOST_CONNECTIONS;
    if (isCut) break;
    ids.push(id);
  }
  while (ids.length > 0)
    for (const connection of await Promise.all(ids.splice(0, AT_ONCE).map((id) => connections.get(id)))) {
      const center = connection?.grant?.data_center;
      if (center) used.set(center, (used.get(center) ?? 0) + 1);
    }
  return { used, isCut };
}

function json(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
