import { openCloud } from '../../../bin/admin/cloud/cloud.ts';
import { stackParts } from '../../../bin/admin/cloud/failed-stacks.ts';
import { names } from '../../../lib/names.ts';
import { runCollected } from '../../support/admin/admin.ts';
import { type AwsAnswers, awsSimulator } from '../../support/admin/aws-simulator.ts';
import { aFile } from '../../support/admin/offline-admin.ts';
import { aConnection, aGrant } from './worlds/items.ts';

export const REGION = 'ap-south-1';
export const MODEL = 'amazon.nova-lite-v1:0';
const NUMBER = '6d0a1f52-7c57-4a05-9d7a-3b0f8b7b2f10';
export const CERTIFICATE = `arn:aws:acm:${REGION}:123456789012:certificate/0f0f0f0f-0000-4000-8000-000000000000`;
export const topic = (name: string) => `arn:aws:sns:${REGION}:123456789012:${name}`;
export const named = names('prod');

export const settings = {
  region: REGION,
  alarmEmail: 'ops@example.com',
  publicUrl: 'https://calls.example.com',
  multiRegionKeys: false,
  publicNames: { 'calls.example.com': CERTIFICATE },
  mailFrom: 'notices@example.com',
};

type StackState = { status?: string; isProtected?: boolean };

/** The answer to DescribeStacks. @param states by the part of the stage; undefined if the stack does not exist */
export const stacks =
  (states: Record<string, StackState | undefined> = {}, more: Record<string, string> = {}): AwsAnswers[string] =>
  ({ input }) => {
    const part = stackParts.find((each) => named.stack(each) === input.StackName) ?? '';
    if (part in states && states[part] === undefined)
      return { error: 'ValidationError', message: `Stack with id ${input.StackName} does not exist` };
    const { status = 'UPDATE_COMPLETE', isProtected = true } = states[part] ?? {};
    const outputs = { AlarmTopicArn: topic('alarms'), WarningTopicArn: topic('warnings'), ...more };
    const members = Object.entries(outputs).map(
      ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
    );
    return {
      xml: `<Stacks><member><StackName>${input.StackName}</StackName><StackStatus>${status}</StackStatus><EnableTerminationProtection>${isProtected}</EnableTerminationProtection><Outputs>${members.join('')}</Outputs></member></Stacks>`,
    };
  };

export const subscription = (arn: string) => ({
  xml: `<Subscriptions><member><Protocol>email</Protocol><Endpoint>ops@example.com</Endpoint><SubscriptionArn>${arn}</SubscriptionArn></member></Subscriptions>`,
});

/** The secrets of the stage, with or without clients of a data center. */
export const secrets =
  (values: Record<string, unknown> = {}): AwsAnswers[string] =>
  ({ input }) => {
    const name = input.SecretId?.split('/').at(-1) ?? '';
    const standard: Record<string, unknown> = {
      voice: { api_key: 'key-hidden', phone_number_id: NUMBER },
      'crm-b-oauth': { in: { client_id: 'c', client_secret: 'hidden' } },
    };
    const value = { ...standard, ...values }[name];
    return value === undefined ? { error: 'ResourceNotFoundException' } : { SecretString: JSON.stringify(value) };
  };

/** An account without problems. */
const healthy: AwsAnswers = {
  GetCallerIdentity: { xml: '<Arn>arn:aws:iam::123456789012:user/ravi</Arn><Account>123456789012</Account>' },
  DescribeStacks: stacks(),
  GetAccountSettings: { AccountLimit: { ConcurrentExecutions: 1000, UnreservedConcurrentExecutions: 1000 } },
  GetFunctionConcurrency: {},
  GetAccount: { ProductionAccessEnabled: true, SendingEnabled: true },
  GetEmailIdentity: ({ path }) =>
    path.endsWith('/example.com') ? { VerifiedForSendingStatus: true } : { error: 'NotFoundException', status: 404 },
  GetInferenceProfile: { status: 'ACTIVE', inferenceProfileId: `apac.${MODEL}` },
  GetFoundationModel: {
    modelDetails: { modelId: MODEL, modelLifecycle: { status: 'ACTIVE' }, inferenceTypesSupported: [] },
  },
  GetFoundationModelAvailability: {
    modelId: MODEL,
    agreementAvailability: { status: 'AVAILABLE' },
    authorizationStatus: 'AUTHORIZED',
    entitlementAvailability: 'AVAILABLE',
    regionAvailability: 'AVAILABLE',
  },
  DescribeCertificate: {
    Certificate: { Status: 'ISSUED', DomainName: 'calls.example.com', NotAfter: Date.now() / 1000 + 90 * 86_400 },
  },
  DescribeTable: { Table: { DeletionProtectionEnabled: true } },
  DescribeContinuousBackups: {
    ContinuousBackupsDescription: {
      ContinuousBackupsStatus: 'ENABLED',
      PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: 'ENABLED' },
    },
  },
  Scan: { Items: [] },
  Query: { Items: [] },
  ListSubscriptionsByTopic: subscription(`${topic('alarms')}:1`),
  GetSecretValue: secrets(),
  DescribeSecret: { VersionIdsToStages: { v1: ['AWSCURRENT'] } },
  GetPhoneNumber: { id: NUMBER, status: 'active' },
};

/** Returns whether a request names a table or an attribute. */
export const isAbout = (input: object, name: string): boolean => JSON.stringify(input).includes(name);

export type Line = { check: string; status: string; message: string; fix?: string };

/** The only connection of the stage, of CRM-B. */
const connected = aConnection({ grant: aGrant({ data_center: 'in' }) });

/** Runs `admin doctor` on a stage `prod` in this account. */
export async function examine(
  answers: AwsAnswers = {},
  { file = settings as object, flags = [] as string[], connection = connected } = {},
) {
  const { url, asked, requests } = await awsSimulator({ ...healthy, ...answers });
  const environment = aFile(
    `${Math.random()}.json`,
    JSON.stringify({
      ...{ base_url: url, emulator_url: url, region: REGION, simulators: { voice: url } },
      credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
    }),
  );
  const opened = openCloud({}, { CALLING_SERVICE_ENVIRONMENT: environment });
  // The hanging service has a short time limit; on a busy machine, the others may take long.
  const impatient = { maxAttempts: 1, requestHandler: { requestTimeout: 500, throwOnRequestTimeout: true } };
  const readOnlyClient = ((Kind, more) =>
    opened.readOnlyClient(Kind, {
      ...(Kind.name === 'LambdaClient' && answers.GetAccountSettings === 'hang' && impatient),
      ...more,
    })) as typeof opened.readOnlyClient;
  const cloud = {
    ...opened,
    readOnlyClient,
    named,
    place: { stage: 'prod', region: REGION, emulatorUrl: undefined },
    stageFile: () => file as Record<string, unknown>,
    connections: {
      ...opened.connections,
      idsOfType: async function* (type: string) {
        if (type === 'crm-b') yield connection.connection_id;
      },
      get: async () => connection,
    },
  } as typeof opened;
  const { code, stdout, stderr } = await runCollected(['doctor', '--json', ...flags], { cloud });
  const report = { findings: [], ...JSON.parse(stdout) } as { findings: Line[]; failed: number };
  const wrong = report.findings.filter(({ status }) => status !== 'ok');
  return { code, stdout, stderr, asked, requests, wrong, ...report };
}
