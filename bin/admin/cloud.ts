import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { GetQueueUrlCommand, SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';
import { names } from '../../lib/names.ts';
import { bounded, objectStore } from '../../shared/runtime/aws.ts';
import { clock } from '../../shared/runtime/clock.ts';
import { callbackStore } from '../../shared/stores/after-call/callbacks.ts';
import { callStore } from '../../shared/stores/calls/calls.ts';
import { claimStore } from '../../shared/stores/calls/claims.ts';
import { slotStore } from '../../shared/stores/calls/slots.ts';
import { activityStore } from '../../shared/stores/connections/activity.ts';
import { connectionChannelStore } from '../../shared/stores/connections/connection-channels.ts';
import { connectionGrants } from '../../shared/stores/connections/connection-grants.ts';
import { connectionStore } from '../../shared/stores/connections/connections.ts';
import { oauthStateStore } from '../../shared/stores/connections/oauth-states.ts';
import { oauthTokens } from '../../shared/stores/connections/oauth-tokens.ts';
import { transactions } from '../../shared/stores/dynamodb/transaction.ts';
import { leadQueue } from '../../shared/stores/leads/lead-queue.ts';
import { apiKeyStore } from '../../shared/stores/organizations/api-keys.ts';
import { assistantStore } from '../../shared/stores/organizations/assistants.ts';
import { creditLedger } from '../../shared/stores/organizations/credit-ledger.ts';
import { doNotCallStore } from '../../shared/stores/organizations/do-not-call.ts';
import { organizationStore } from '../../shared/stores/organizations/organizations.ts';
import { queueSender } from '../../shared/stores/queue.ts';
import { callbackSecretContext, seal, unseal } from '../../shared/stores/sealing.ts';
import { type Place, Refusal } from './failures.ts';

/** What `npm start` writes about the running local cloud; the members that this program needs. */
const environmentSchema = z.object({
  base_url: z.url(),
  emulator_url: z.url(),
  region: z.string(),
  clock_file: z.string().optional(),
  simulators: z.object({ voice: z.url().optional() }).optional(),
});

const ENVIRONMENT_FILE = fileURLToPath(new URL('../../.local/environment.json', import.meta.url));
const STAGE = /^[a-z][a-z0-9-]{0,15}$/;
const REQUEST_MS = 10_000;

export type Where = { stage?: string; region?: string; awsRegion?: string };

/** The stage that a command works on: its clients, stores and clock. */
export type Cloud = ReturnType<typeof openCloud>;

/**
 * The running local cloud, or, without one or with a stage's name, that stage in the AWS account of the usual credentials.
 * @param where.region set where `--region` means AWS's.
 */
export function openCloud({ stage: wanted, region, awsRegion }: Where) {
  if (wanted !== undefined && !STAGE.test(wanted))
    throw new Refusal(
      'invalid_value',
      '--stage must be up to 16 lower-case letters, digits and dashes, a letter first.',
    );
  const local = wanted === undefined ? readEnvironment() : undefined;
  const stage = wanted ?? (local ? 'local' : 'prod');
  const place: Place = {
    stage,
    region: awsRegion ?? region ?? local?.region ?? process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION,
    emulatorUrl: local?.emulator_url,
  };
  // The local stage's clock can be moved; the product's functions there read the same file.
  if (local?.clock_file) process.env.CLOCK_FILE = local.clock_file;
  else delete process.env.CLOCK_FILE;

  const client = {
    ...(place.region && { region: place.region }),
    ...(local && { endpoint: local.emulator_url, credentials: { accessKeyId: 'test', secretAccessKey: 'test' } }),
  };
  const usual = { ...client, ...bounded({ requestTimeout: REQUEST_MS }) };
  const named = names(stage);
  const db = DynamoDBDocumentClient.from(new DynamoDBClient(usual), {
    marshallOptions: { removeUndefinedValues: true },
  });
  const kms = new KMSClient(usual);
  const sqs = new SQSClient(usual);
  const cloudWatch = new CloudWatchClient(usual);
  const callbackKey = named.keyAlias('callback-secrets');

  const queueUrl = async (queueName: string): Promise<string> => {
    const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: queueName }));
    return QueueUrl as string;
  };

  /** What the deployment of a stack tells about itself. */
  const outputsOf = async (part: string): Promise<Record<string, string | undefined>> => {
    const StackName = named.stack(part);
    const { Stacks } = await new CloudFormationClient(usual).send(new DescribeStacksCommand({ StackName }));
    const outputs = Stacks?.[0]?.Outputs ?? [];
    return Object.fromEntries(outputs.map(({ OutputKey = '', OutputValue }) => [OutputKey, OutputValue]));
  };
  /** @param output one that must be there. @param what it is, in words. */
  const needed = (part: string, output: string | undefined, what: string): string => {
    if (output) return output;
    throw new Refusal('not_deployed', `Stack ${named.stack(part)} has no ${what}: deploy stage ${stage}.`);
  };

  return {
    place,
    named,
    sqs,
    cloudWatch,
    secrets: new SecretsManagerClient(usual),
    lambda: new LambdaClient(usual),
    /** For invocations: waits as long as the function may run, and asks once, because a repeat would run it twice. */
    patientLambda: (seconds: number) =>
      new LambdaClient({ ...client, ...bounded({ requestTimeout: seconds * 1000, maxAttempts: 1 }) }),
    s3: () => new S3Client({ ...client, ...objectStore(), forcePathStyle: local !== undefined }),
    organizations: organizationStore(db, named.table('organizations')),
    ledger: creditLedger(db, named.table('credit-ledger')),
    apiKeys: apiKeyStore(db, named.table('api-keys')),
    assistants: assistantStore(db, named.table('assistants')),
    calls: callStore(db, named.table('calls')),
    callbacks: callbackStore(db, named.table('callbacks')),
    slots: slotStore(db, named.table('slots')),
    connections: connectionStore(db, named.table('connections')),
    channels: connectionChannelStore(db, named.table('connections')),
    grants: connectionGrants(db, named.table('connections')),
    tokens: oauthTokens(kms, named.keyAlias('oauth-tokens')),
    oauthStates: oauthStateStore(db, named.table('oauth-states')),
    activity: activityStore(db, named.table('activity')),
    claims: claimStore(db, named.table('claims')),
    doNotCall: doNotCallStore(db, named.table('do-not-call')),
    transact: transactions(db),
    now: clock,
    seal: (orgId: string, secret: string) => seal(kms, callbackKey, secret, callbackSecretContext(orgId)),
    unseal: (orgId: string, sealed: string) => unseal(kms, callbackKey, sealed, callbackSecretContext(orgId)),
    queueUrl,
    /** The queue that the CRMs' leads take. */
    leads: async () => leadQueue(sqs, await queueUrl(named.queue('leads'))),
    /** So that waiting calls are handed free slots at once, and not by the next run of recover-calls. */
    async handOverSlots(): Promise<void> {
      await queueSender<object>(sqs, await queueUrl(named.queue('slots'))).send({});
    },
    /** The only name that is generated: buckets' names are global. */
    filesBucket: async () => needed('data', (await outputsOf('data')).FilesBucketName, 'files bucket'),
    /** Base of the addresses that others are given. */
    publicUrl: async () =>
      (local?.base_url ?? needed('api', (await outputsOf('api')).PublicUrl, 'public URL')).replace(/\/+$/, ''),
    /** What consents are begun with: where the stage has accounts servers and APIs, and the help desk's scopes. */
    async oauthSettings() {
      const { ZohoAccountsUrl, CrmBApiUrl, HelpDeskApiUrl, HelpDeskScopes } = await outputsOf('api');
      return {
        hosts: { accountsUrl: ZohoAccountsUrl, apiUrl: CrmBApiUrl },
        helpDeskUrl: HelpDeskApiUrl,
        helpDeskScopes: needed('api', HelpDeskScopes, 'scopes of the help desk'),
      };
    },
    /** Where the environment says that the voice platform is; undefined = ask the deployed functions. */
    voiceUrl: process.env.VOICE_API_URL ?? local?.simulators?.voice,
  };
}

/** @returns undefined where no local cloud runs. */
function readEnvironment(): z.infer<typeof environmentSchema> | undefined {
  const given = process.env.CALLING_SERVICE_ENVIRONMENT;
  const file = given || ENVIRONMENT_FILE;
  if (!existsSync(file)) {
    // Whoever names a file means the cloud that it describes, and by no means a production account.
    if (given) throw new Refusal('unavailable', `${given} is not there: start the local cloud that writes it.`);
    return undefined;
  }
  try {
    return environmentSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    throw new Refusal('unavailable', `${file} cannot be read: start the local cloud anew with npm start.`);
  }
}
