import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { GetQueueUrlCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { STSClientConfig } from '@aws-sdk/client-sts';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type Names, names } from '../../../lib/names.ts';
import { readStageFile } from '../../../lib/stage-file.ts';
import { newToken } from '../../../shared/domain/ids.ts';
import { bounded, objectStore } from '../../../shared/runtime/aws.ts';
import { clockFrom } from '../../../shared/runtime/clock.ts';
import { marshallOptions } from '../../../shared/runtime/dynamodb.ts';
import { callbackStore } from '../../../shared/stores/after-call/callbacks.ts';
import { callErasures } from '../../../shared/stores/calls/call-erasures.ts';
import { callRetention } from '../../../shared/stores/calls/call-retention.ts';
import { callSearch } from '../../../shared/stores/calls/call-search.ts';
import { callStore } from '../../../shared/stores/calls/calls.ts';
import { claimStore } from '../../../shared/stores/calls/claims.ts';
import { slotStore } from '../../../shared/stores/calls/slots/slots.ts';
import { usageStore } from '../../../shared/stores/calls/usage.ts';
import { activityStore } from '../../../shared/stores/connections/activity.ts';
import { connectionChannelStore } from '../../../shared/stores/connections/connection-channels.ts';
import { connectionGrants } from '../../../shared/stores/connections/connection-grants.ts';
import { connectionStore } from '../../../shared/stores/connections/connections.ts';
import { oauthStateStore } from '../../../shared/stores/connections/oauth-states.ts';
import { oauthTokens } from '../../../shared/stores/connections/oauth-tokens.ts';
import { transactions } from '../../../shared/stores/dynamodb/transaction.ts';
import { leadQueue } from '../../../shared/stores/leads/lead-queue.ts';
import { apiKeyStore } from '../../../shared/stores/organizations/api-keys.ts';
import { assistantStore } from '../../../shared/stores/organizations/assistants.ts';
import { auditStore } from '../../../shared/stores/organizations/audit.ts';
import { auditChains } from '../../../shared/stores/organizations/audit-chains.ts';
import { creditLedger } from '../../../shared/stores/organizations/credit-ledger.ts';
import { doNotCallStore } from '../../../shared/stores/organizations/do-not-call.ts';
import { keyCounterStore } from '../../../shared/stores/organizations/key-counters.ts';
import { memberStore } from '../../../shared/stores/organizations/members.ts';
import { numberScan } from '../../../shared/stores/organizations/number-scan.ts';
import { organizationScan } from '../../../shared/stores/organizations/organization-scan.ts';
import { organizationStore } from '../../../shared/stores/organizations/organizations.ts';
import { queueSender } from '../../../shared/stores/queue.ts';
import { callbackSecretContext, seal, unseal } from '../../../shared/stores/sealing.ts';
import { permanentKey } from '../../../shared/stores/secrets.ts';
import { type Place, Refusal } from '../failures.ts';
import { deployment } from './deployment.ts';
import { readLocalCloud, type Variables } from './environment.ts';
import { operatorOf } from './operator.ts';
import { refuseStaleCheckout, restoredOf } from './stale-checkout.ts';

const STAGE = /^[a-z][a-z0-9-]{0,15}$/;
const REQUEST_MS = 10_000;
/** For read-only requests, several of which make up one command. */
const READ_MS = 5_000;

/** The options of all clients. */
type ClientConfig = Pick<STSClientConfig, 'region' | 'endpoint' | 'credentials' | 'maxAttempts' | 'requestHandler'>;

/** The flags that select a stage. */
export type Where = { stage?: string; awsRegion?: string };

/** The stage that a command works on: its clients, stores and clock. */
export type Cloud = ReturnType<typeof openCloud>;

/**
 * Opens the running local cloud, or the stage that `--stage` names in the AWS account of the usual credentials. Sends
 * no request.
 * @param stored reads the settings in a stage's file; undefined if the checkout has no such file
 * @throws Refusal invalid_value, no_stage, or unavailable for a local cloud whose file cannot be read
 */
export function openCloud({ stage: wanted, awsRegion }: Where, variables: Variables, stored = readStageFile) {
  if (wanted !== undefined && !STAGE.test(wanted))
    throw new Refusal(
      'invalid_value',
      '--stage must start with a letter and have at most 16 lower-case letters, digits and dashes.',
    );
  const local = wanted === undefined ? readLocalCloud(variables) : undefined;
  const stage = stageToWorkOn(wanted, local);
  const place: Place = {
    stage,
    region:
      awsRegion ?? local?.region ?? regionOf(stored(stage)) ?? variables.AWS_REGION ?? variables.AWS_DEFAULT_REGION,
    emulatorUrl: local?.emulator_url,
  };
  const base = {
    ...(place.region && { region: place.region }),
    ...(local && { endpoint: local.emulator_url, credentials: local.credentials }),
  };
  const config = { ...base, ...bounded({ requestTimeout: REQUEST_MS }) };
  const restored = restoredOf(stored(stage));
  const named = names(stage, restored);
  const sqs = new SQSClient(config);
  const secrets = new SecretsManagerClient(config);
  const deployed = deployment(config, named, stage);

  const queueUrl = async (queueName: string): Promise<string> => {
    const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: queueName }));
    return QueueUrl as string;
  };

  let checked: Promise<void> | undefined;
  // A local cloud has no restored tables.
  const requireCurrentTables = async (): Promise<void> =>
    local ? undefined : refuseStaleCheckout(stage, restored, await deployed.restoredTables());

  return {
    place,
    named,
    now: clockFrom(local?.clock_file),
    newToken,
    /** The content of stages/NAME.json; undefined if the checkout has no such file. */
    stageFile: () => stored(stage),
    /** Whether the stage's data must last: unless its file says otherwise, true for every stage but `local`. */
    isRetained: () => String(stored(stage)?.isRetained ?? stage !== 'local') !== 'false',
    ...storesOf(config, named, secrets),
    ...deployed,
    /** The base of the addresses given to remote systems. */
    publicUrl: async () => (local?.base_url ?? (await deployed.publicUrl())).replace(/\/$/, ''),
    /**
     * Returns the person who runs the command, for the audit log. Every command that changes tables calls this first,
     * so a checkout that names other tables is refused here. @throws Refusal stale_checkout
     */
    async operator() {
      checked ??= requireCurrentTables();
      const [actor] = await Promise.all([operatorOf(variables.USER ?? 'operator', config), checked]);
      return actor;
    },
    cloudFormation: new CloudFormationClient(config),
    /** @param region undefined for the stage's region */
    cloudFormationIn: (region: string | undefined) =>
      new CloudFormationClient({ ...config, ...(region && { region }) }),
    dynamodb: new DynamoDBClient(config),
    cognito: new CognitoIdentityProviderClient(config),
    sqs,
    cloudWatch: new CloudWatchClient(config),
    secrets,
    lambda: new LambdaClient(config),
    /**
     * Makes a client for invocations, which waits as long as the function may run. It never retries, because a retry
     * would run the function twice.
     */
    invocationClient: (seconds: number) =>
      new LambdaClient({ ...base, ...bounded({ requestTimeout: seconds * 1000, maxAttempts: 1 }) }),
    /** Makes a client for read-only requests, which gives up after two attempts of five seconds. */
    readOnlyClient: <Client>(Kind: new (config: ClientConfig) => Client, more: ClientConfig = {}): Client =>
      new Kind({ ...base, ...bounded({ requestTimeout: READ_MS, maxAttempts: 2 }), ...more }),
    s3: () => new S3Client({ ...base, ...objectStore(), forcePathStyle: local !== undefined }),
    queueUrl,
    /** Opens the queue of lead events from the CRMs. */
    leadQueue: async () => leadQueue(sqs, await queueUrl(named.queue('lead-events'))),
    /** Opens the queue of dials and hang-ups. */
    dials: async () => queueSender<{ call_id: string }>(sqs, await queueUrl(named.queue('dial'))),
    /**
     * Dials waiting calls at once, instead of with the next run of recover-calls.
     * @param work.org_id an organization whose calls could not be dialed before; undefined for all organizations
     */
    async handOverSlots(work: { org_id?: string; end_parking?: true; freed_credit?: true } = {}): Promise<void> {
      await queueSender<typeof work>(sqs, await queueUrl(named.queue('slots'))).send(work);
    },
    /** The voice platform's address; undefined if only the deployed functions know it. */
    voiceUrl: variables.VOICE_API_URL ?? local?.simulators?.voice,
  };
}

/** Returns the stage to work on. @throws Refusal no_stage, so that a command does not reach a stage by accident */
export function stageToWorkOn(wanted: string | undefined, local: object | undefined): string {
  if (wanted !== undefined) return wanted;
  if (local) return 'local';
  throw new Refusal(
    'no_stage',
    'No local cloud runs: name the stage with --stage, or start a local cloud (npm start).',
  );
}

type StageFile = ReturnType<typeof readStageFile>;

/** The region in the stage's settings, if the checkout has them. */
function regionOf(file: StageFile): string | undefined {
  const region = file?.region;
  return typeof region === 'string' ? region : undefined;
}

function storesOf(config: { region?: string }, named: Names, secrets: SecretsManagerClient) {
  const db = DynamoDBDocumentClient.from(new DynamoDBClient(config), { marshallOptions: marshallOptions() });
  const kms = new KMSClient(config);
  const callbackKey = named.keyAlias('callback-secrets');
  return {
    organizations: organizationStore(db, named.table('organizations')),
    organizationScan: organizationScan(db, named.table('organizations')),
    numberScan: numberScan(db, { organizations: named.table('organizations'), doNotCall: named.table('do-not-call') }),
    ledger: creditLedger(db, named.table('credit-ledger')),
    members: memberStore(db, named.table('members')),
    audit: auditStore(db, named.table('audit')),
    auditChains: auditChains(db, named.table('audit')),
    apiKeys: apiKeyStore(db, named.table('api-keys')),
    keyCounters: keyCounterStore(db, named.table('rate-limits')),
    assistants: assistantStore(db, named.table('assistants')),
    calls: callStore(db, named.table('calls')),
    callRetention: callRetention(db, named.table('calls')),
    erasures: callErasures(db, named.table('calls')),
    search: callSearch(db, named.table('calls')),
    claims: claimStore(db, named.table('claims')),
    callbacks: callbackStore(db, named.table('callbacks')),
    slots: slotStore(db, named.table('slots')),
    usage: usageStore(db, named.table('usage')),
    connections: connectionStore(db, named.table('connections')),
    channels: connectionChannelStore(db, named.table('connections')),
    grants: connectionGrants(db, named.table('connections')),
    tokens: oauthTokens(kms, named.keyAlias('oauth-tokens')),
    oauthStates: oauthStateStore(db, named.table('oauth-states')),
    activity: activityStore(db, named.table('activity')),
    doNotCall: doNotCallStore(db, named.table('do-not-call'), permanentKey(secrets, named.secret('do-not-call-key'))),
    transact: transactions(db),
    seal: (orgId: string, secret: string) => seal(kms, callbackKey, secret, callbackSecretContext(orgId)),
    unseal: (orgId: string, sealed: string) => unseal(kms, callbackKey, sealed, callbackSecretContext(orgId)),
  };
}
