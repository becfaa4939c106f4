import { readFileSync } from 'node:fs';
import { openCloud } from '../../../bin/admin/cloud/cloud.ts';
import { stackParts } from '../../../bin/admin/cloud/failed-stacks.ts';
import { assessCertificate } from '../../../bin/admin/commands/doctor/certificates.ts';
import { assessClock } from '../../../bin/admin/commands/doctor/clock.ts';
import { assessConcurrency, neededConcurrency } from '../../../bin/admin/commands/doctor/concurrency.ts';
import { assessModel } from '../../../bin/admin/commands/doctor/model.ts';
import { names } from '../../../lib/names.ts';
import { runCollected } from '../../support/admin/admin.ts';
import { type AwsAnswers, awsSimulator } from '../../support/admin/aws-simulator.ts';
import { aFile } from '../../support/admin/offline-admin.ts';
import { closeServers } from '../../support/loopback.ts';
import { aConnection, aGrant } from '../support/worlds/items.ts';

afterEach(closeServers);

const REGION = 'ap-south-1';
const MODEL = 'amazon.nova-lite-v1:0';
const NUMBER = '6d0a1f52-7c57-4a05-9d7a-3b0f8b7b2f10';
const CERTIFICATE = `arn:aws:acm:${REGION}:123456789012:certificate/0f0f0f0f-0000-4000-8000-000000000000`;
const topic = (name: string) => `arn:aws:sns:${REGION}:123456789012:${name}`;
const named = names('prod');

const settings = {
  region: REGION,
  alarmEmail: 'ops@example.com',
  publicUrl: 'https://calls.example.com',
  multiRegionKeys: false,
  publicNames: { 'calls.example.com': CERTIFICATE },
  mailFrom: 'notices@example.com',
};

type StackState = { status?: string; isProtected?: boolean };

/** The answer to DescribeStacks. @param states by the part of the stage; undefined if the stack does not exist */
const stacks =
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
const noStacks = stacks(Object.fromEntries(stackParts.map((part) => [part, undefined])));

const subscription = (arn: string) => ({
  xml: `<Subscriptions><member><Protocol>email</Protocol><Endpoint>ops@example.com</Endpoint><SubscriptionArn>${arn}</SubscriptionArn></member></Subscriptions>`,
});

/** The secrets of the stage, with or without clients of a data center. */
const secrets =
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
const isAbout = (input: object, name: string): boolean => JSON.stringify(input).includes(name);

type Line = { check: string; status: string; message: string; fix?: string };

/** Runs `admin doctor` on a stage `prod` in this account. */
async function examine(answers: AwsAnswers = {}, { file = settings as object, flags = [] as string[] } = {}) {
  const { url, asked, requests } = await awsSimulator({ ...healthy, ...answers });
  const environment = aFile(
    `${Math.random()}.json`,
    JSON.stringify({
      ...{ base_url: url, emulator_url: url, region: REGION, simulators: { voice: url } },
      credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
    }),
  );
  const opened = openCloud({}, { CALLING_SERVICE_ENVIRONMENT: environment });
  const connection = aConnection({ grant: aGrant({ data_center: 'in' }) });
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

describe('admin doctor', () => {
  it('finds no problem in a correct stage, and shows no secret', async () => {
    const { code, wrong, findings, stdout } = await examine();
    expect([code, wrong]).toEqual([0, []]);
    expect(findings.map(({ check }) => check)).toEqual([
      ...['settings', 'clock', 'concurrency', 'model', 'mail', 'certificates', 'stacks', 'protection', 'tables'],
      ...['alarms', 'alarms', 'secrets', 'number', 'countries', 'numbers'],
    ]);
    expect(stdout).not.toMatch(/hidden/);
  });

  it('reports a missing deployer role only if the settings name a repository', async () => {
    const without = { DescribeStacks: stacks({ deployer: undefined }) };
    expect((await examine(without)).wrong).toEqual([]);
    const { wrong } = await examine(without, { file: { ...settings, deployFrom: 'acme/calls' } });
    expect(wrong).toMatchObject([{ check: 'stacks', status: 'failed' }]);
  });

  it('before the first deployment, runs the checks that need no stack and names the next command for the others', async () => {
    const { code, wrong } = await examine({ DescribeStacks: noStacks });
    expect(code).toBe(0);
    expect(wrong).toEqual(
      ['stacks', 'protection', 'tables', 'alarms', 'secrets', 'number', 'countries', 'numbers'].map((check) => ({
        ...{ check, status: 'warning', message: 'Not deployed yet.' },
        fix: 'npx cdk deploy --all -c stage=prod',
      })),
    );
  });

  it.each<[string, AwsAnswers, Partial<Line>]>([
    [
      'a quota that the workers exceed',
      { GetAccountSettings: { AccountLimit: { ConcurrentExecutions: 10, UnreservedConcurrentExecutions: 10 } } },
      {
        check: 'concurrency',
        message: expect.stringMatching(/^Only 10 functions/),
        fix: expect.stringMatching(/^aws service-quotas .*--desired-value 1000 --region ap-south-1$/),
      },
    ],
    [
      'an organization that may call every country',
      {
        Scan: ({ input }) =>
          isAbout(input, 'countries') && 'ExclusiveStartKey' in input
            ? { Items: [{ org_id: { S: 'org_old' } }] }
            : { Items: [], ...(isAbout(input, 'countries') && { LastEvaluatedKey: { org_id: { S: 'org_new' } } }) },
      },
      {
        check: 'countries',
        message: expect.stringMatching(/^1 organization has no list of countries: org_old\. It may call/),
        fix: `npm run --silent admin -- org adopt-countries --all --stage prod --aws-region ${REGION}`,
      },
    ],
    [
      'a do-not-call entry with a trunk zero behind the country code',
      {
        Scan: ({ input }) =>
          isAbout(input, 'do-not-call')
            ? {
                Items: ['+9109812345678', '+919812345678'].map((phone) => ({
                  org_id: { S: 'o' },
                  phone: { S: phone },
                })),
              }
            : { Items: [] },
      },
      {
        check: 'numbers',
        message: expect.stringMatching(/^1 do-not-call entries, 0 organizations and 0 open calls have a number with/),
        fix: `npm run --silent admin -- stage respell --stage prod --aws-region ${REGION}`,
      },
    ],
    [
      'the sandbox of Amazon SES',
      { GetAccount: { ProductionAccessEnabled: false, SendingEnabled: true } },
      { check: 'mail', message: expect.stringMatching(/sandbox/) },
    ],
    [
      '= a sender that Amazon SES does not know',
      { GetEmailIdentity: { error: 'NotFoundException', status: 404 } },
      { check: 'mail', fix: `aws sesv2 create-email-identity --email-identity example.com --region ${REGION}` },
    ],
    [
      'an address that has not confirmed the alarms',
      {
        ListSubscriptionsByTopic: ({ input }) =>
          subscription(input.TopicArn === topic('alarms') ? 'PendingConfirmation' : `${topic('w')}:1`),
      },
      {
        check: 'alarms',
        fix: `aws sns subscribe --protocol email --notification-endpoint ops@example.com --topic-arn ${topic('alarms')} --region ${REGION}`,
      },
    ],
    [
      'the missing key of the voice platform',
      { GetSecretValue: secrets({ voice: { api_key: 1 } }), GetPhoneNumber: { status: 'active' } },
      {
        check: 'secrets',
        fix: `npm run --silent admin -- secret set --name voice --stage prod --aws-region ${REGION} < voice.json`,
      },
    ],
    [
      'the missing client of a data center that a connection uses',
      { GetSecretValue: secrets({ 'crm-b-oauth': { eu: { client_id: 'c', client_secret: 's' } } }) },
      {
        check: 'secrets',
        message: expect.stringMatching(/data center in, which 1 connections use/),
        fix: expect.stringMatching(/--name crm-b-oauth --data-center in --stage prod/),
      },
    ],
    [
      'a generated key without a value',
      {
        DescribeSecret: ({ input }) => ({
          VersionIdsToStages: input.SecretId?.endsWith('person-key') ? {} : { v1: ['AWSCURRENT'] },
        }),
      },
      {
        check: 'secrets',
        message: 'The secret person-key has no value.',
        fix: expect.stringMatching(/^Do not create it again/),
      },
    ],
    [
      'a generated key that no longer exists',
      {
        DescribeSecret: ({ input }) =>
          input.SecretId?.endsWith('recording-link-key')
            ? { error: 'ResourceNotFoundException' }
            : { VersionIdsToStages: { v1: ['AWSCURRENT'] } },
      },
      {
        check: 'secrets',
        message: 'The secret recording-link-key no longer exists.',
        fix: `npm run --silent admin -- secret rotate --name recording-link-key --stage prod --aws-region ${REGION}`,
      },
    ],
    [
      'a secret that is scheduled for deletion',
      {
        DescribeSecret: ({ input }) => ({
          VersionIdsToStages: { v1: ['AWSCURRENT'] },
          ...(input.SecretId?.endsWith('/voice') && { DeletedDate: 1_790_000_000 }),
        }),
        GetSecretValue: (asked) =>
          asked.input.SecretId?.endsWith('/voice')
            ? { error: 'InvalidRequestException', message: 'It was marked for deletion.' }
            : (secrets() as (one: typeof asked) => object)(asked),
      },
      {
        check: 'secrets',
        message: 'The secret voice is scheduled for deletion.',
        fix: `aws secretsmanager restore-secret --secret-id calling-service/prod/voice --region ${REGION}`,
      },
    ],
    [
      'an inference profile that the region does not have',
      { GetInferenceProfile: { error: 'ResourceNotFoundException', status: 404 } },
      {
        check: 'model',
        message: `The inference profile apac.${MODEL} does not exist in ${REGION}.`,
        fix: expect.stringMatching(/stages\/prod\.json/),
      },
    ],
    [
      'a model that the account may not use',
      { GetFoundationModelAvailability: { modelId: MODEL, agreementAvailability: { status: 'NOT_AVAILABLE' } } },
      { check: 'model', message: expect.stringMatching(/may not use/) },
    ],
    [
      'a number that the voice platform does not have',
      { GetPhoneNumber: { error: 'Not Found', status: 404 } },
      { check: 'number', fix: expect.stringMatching(/secret set --name voice/) },
    ],
    [
      'a key that the voice platform refuses',
      { GetPhoneNumber: { error: 'Unauthorized', status: 401 } },
      { check: 'number', message: expect.stringMatching(/refuses the key/) },
    ],
    [
      'a number that is blocked',
      { GetPhoneNumber: { status: 'blocked' } },
      { check: 'number', message: expect.stringMatching(/is blocked/) },
    ],
    [
      'a stack whose first deployment failed',
      { DescribeStacks: stacks({ workers: { status: 'ROLLBACK_COMPLETE' } }) },
      { check: 'stacks', fix: `npm run --silent admin -- stage repair --stage prod --aws-region ${REGION}` },
    ],
    [
      'a stack whose deletion failed',
      { DescribeStacks: stacks({ edge: { status: 'DELETE_FAILED' } }) },
      { check: 'stacks', message: expect.stringMatching(/deletion/), fix: expect.stringMatching(/ stage repair /) },
    ],
    [
      'a stack that is missing among others',
      { DescribeStacks: stacks({ observability: undefined }) },
      { check: 'stacks', fix: 'npx cdk deploy --all -c stage=prod' },
    ],
    [
      'a stack without termination protection',
      { DescribeStacks: stacks({ edge: { isProtected: false } }) },
      {
        check: 'protection',
        fix: expect.stringMatching(/--enable-termination-protection --stack-name calling-service-prod-edge/),
      },
    ],
    [
      'a table without point-in-time recovery',
      {
        DescribeContinuousBackups: ({ input }) => ({
          ContinuousBackupsDescription: {
            PointInTimeRecoveryDescription: {
              PointInTimeRecoveryStatus: input.TableName === named.table('claims') ? 'DISABLED' : 'ENABLED',
            },
          },
        }),
      },
      {
        check: 'tables',
        message: 'Table calling-service-prod-claims has no point-in-time recovery.',
        fix: expect.stringMatching(/update-continuous-backups --table-name calling-service-prod-claims/),
      },
    ],
    [
      'a checkout that does not name the restored tables of the stage',
      { DescribeStacks: stacks({}, { RestoredTables: 'calls=r20261123143000' }) },
      {
        check: 'tables',
        message: expect.stringMatching(/here: none; deployed: calls=r20261123143000\.$/),
        fix: expect.stringMatching(/git pull/),
      },
    ],
    [
      'a certificate that waits for its DNS record',
      { DescribeCertificate: { Certificate: { Status: 'PENDING_VALIDATION' } } },
      { check: 'certificates', fix: expect.stringMatching(/^aws acm describe-certificate/) },
    ],
    [
      'the DNS record that a certificate waits for',
      {
        DescribeCertificate: {
          Certificate: {
            Status: 'PENDING_VALIDATION',
            DomainValidationOptions: [
              {
                DomainName: 'calls.example.com',
                ResourceRecord: { Name: '_a.calls.example.com.', Type: 'CNAME', Value: '_b.acm-validations.aws.' },
              },
            ],
          },
        },
      },
      { check: 'certificates', fix: 'Set the DNS record _a.calls.example.com. CNAME _b.acm-validations.aws.' },
    ],
  ])('names %s, and exits with 1', async (_, answers, expected) => {
    const { code, wrong } = await examine(answers);
    // Without a key, the number cannot be looked up either.
    expect(wrong.slice(1).filter(({ check }) => check !== 'number')).toEqual([]);
    expect([code, wrong[0]]).toEqual([1, expect.objectContaining({ status: 'failed', ...expected })]);
  });

  describe('for a name whose certificate the deployment requests', () => {
    const file = { ...settings, publicNames: ['calls.example.com'] };
    const requested = CERTIFICATE.replace('0f0f0f0f', '1a1a1a1a');
    const resource = (type: string, id: string, status = 'CREATE_IN_PROGRESS') =>
      `<member><LogicalResourceId>x</LogicalResourceId><ResourceType>${type}</ResourceType><PhysicalResourceId>${id}</PhysicalResourceId><ResourceStatus>${status}</ResourceStatus></member>`;
    const resources = (...members: string[]) => ({
      xml: `<StackResources>${members.join('')}</StackResources>`,
    });
    const record = { Name: '_a.calls.example.com.', Type: 'CNAME', Value: '_b.acm-validations.aws.' };
    const pending = {
      Status: 'PENDING_VALIDATION',
      DomainName: 'calls.example.com',
      DomainValidationOptions: [{ DomainName: 'calls.example.com', ResourceRecord: record }],
    };
    const during: AwsAnswers = {
      DescribeStacks: stacks({ certificates: { status: 'CREATE_IN_PROGRESS' } }),
      DescribeStackResources: resources(
        resource('AWS::CDK::Metadata', 'm'),
        resource('AWS::CertificateManager::Certificate', ''),
        resource('AWS::CertificateManager::Certificate', CERTIFICATE, 'DELETE_COMPLETE'),
        resource('AWS::CertificateManager::Certificate', requested),
      ),
      DescribeCertificate: ({ input }) =>
        input.CertificateArn === requested ? { Certificate: pending } : { error: 'ResourceNotFoundException' },
    };
    const ofCertificates = ({ wrong }: { wrong: Line[] }) => wrong.filter(({ check }) => check === 'certificates');

    it('names the DNS record while the deployment waits for it', async () => {
      expect(ofCertificates(await examine(during, { file }))).toEqual([
        {
          check: 'certificates',
          status: 'failed',
          message: 'The certificate of calls.example.com waits for the DNS record that proves the name.',
          fix: 'Set the DNS record _a.calls.example.com. CNAME _b.acm-validations.aws.',
        },
      ]);
    });

    it('reports no missing stacks while only certificates are deployed', async () => {
      const others = stackParts.filter((part) => part !== 'certificates');
      const { wrong } = await examine(
        {
          ...during,
          DescribeStacks: stacks({
            ...Object.fromEntries(others.map((part) => [part, undefined])),
            certificates: { status: 'CREATE_IN_PROGRESS' },
          }),
        },
        { file },
      );
      expect(wrong.filter(({ check }) => check === 'stacks')).toMatchObject([
        { status: 'warning', message: 'Not deployed yet.' },
      ]);
    });

    it('names the hosted zone in which the deployment sets the record', async () => {
      const hosted = { ...file, hostedZones: { 'example.com': 'Z0123456789ABCDEF' } };
      expect(ofCertificates(await examine(during, { file: hosted }))).toMatchObject([
        { status: 'failed', fix: expect.stringMatching(/name servers of example\.com .*Z0123456789ABCDEF/) },
      ]);
    });

    it('has no finding once it is issued', async () => {
      const { wrong } = await examine(
        {
          DescribeStackResources: resources(resource('AWS::CertificateManager::Certificate', requested)),
        },
        { file },
      );
      expect(wrong).toEqual([]);
    });

    it.each([
      ['its stack does not exist yet', { DescribeStacks: stacks({ certificates: undefined }) }],
      ['its stack does not have the name yet', { DescribeStackResources: resources() }],
    ])('warns that the next deployment requests it, if %s', async (_, answers) => {
      expect(ofCertificates(await examine(answers, { file }))).toEqual([
        {
          check: 'certificates',
          status: 'warning',
          message: 'The certificate of calls.example.com is not requested yet.',
          fix: 'npx cdk deploy certificates -c stage=prod',
        },
      ]);
    });

    it('finds the one of the dashboard in the stack of its region', async () => {
      const { wrong, requests } = await examine(
        {
          DescribeStackResources: ({ input }) =>
            resources(
              ...(input.StackName === named.stack('dashboard-certificate')
                ? [resource('AWS::CertificateManager::Certificate', requested)]
                : []),
            ),
          DescribeCertificate: { Certificate: { Status: 'ISSUED', DomainName: 'app.example.com' } },
        },
        { file: { ...settings, publicNames: undefined, dashboardUrl: 'https://app.example.com' } },
      );
      expect(wrong).toEqual([]);
      const ofStack = requests.filter(({ input }) => input.StackName === named.stack('dashboard-certificate'));
      expect(ofStack.map(({ operation }) => operation).sort()).toEqual(['DescribeStackResources', 'DescribeStacks']);
      expect(new Set(ofStack.map(({ region }) => region))).toEqual(new Set(['us-east-1']));
    });
  });

  it('warns of a legacy model, and exits with 0', async () => {
    const { code, wrong } = await examine({
      GetFoundationModel: {
        modelDetails: { modelId: MODEL, modelLifecycle: { status: 'LEGACY', endOfLifeTime: '2027-03-01T00:00:00Z' } },
      },
    });
    expect(code).toBe(0);
    expect(wrong).toMatchObject([{ check: 'model', status: 'warning', message: expect.stringMatching(/2027-03-01/) }]);
  });

  it('names the missing right of a check, and continues with the others', async () => {
    const denied = 'User: arn:aws:iam::1:user/ravi is not authorized to perform: sns:ListSubscriptionsByTopic';
    const { code, wrong } = await examine({
      ListSubscriptionsByTopic: { error: 'AuthorizationError', message: denied, status: 403 },
      GetAccountSettings: { error: 'AccessDeniedException', message: 'No.', status: 403 },
    });
    expect(code).toBe(1);
    expect(wrong.map(({ check, message }) => [check, message])).toEqual([
      ['concurrency', 'Not checked: these credentials lack the right lambda:GetAccountSettings.'],
      ['alarms', 'Not checked: these credentials lack the right sns:ListSubscriptionsByTopic.'],
    ]);
  });

  it('continues while AWS throttles one service and another never answers', async () => {
    const { code, wrong } = await examine({
      GetAccount: { error: 'TooManyRequestsException', status: 429 },
      GetAccountSettings: 'hang',
      GetPhoneNumber: { error: 'Bad Gateway', status: 502 },
    });
    expect(code).toBe(1);
    expect(wrong.map(({ check, message }) => [check, message])).toEqual([
      ['concurrency', 'Not checked: AWS did not answer in time.'],
      ['mail', 'Not checked: AWS throttles the requests of the account.'],
      ['number', expect.stringMatching(/^Not checked: the voice platform at .* gives no answer \(status 502\)\.$/)],
    ]);
  });

  it('names wrong settings, and runs the checks that need no settings', async () => {
    const { code, wrong } = await examine({}, { file: { ...settings, voiceSlot: 1 } });
    expect(code).toBe(1);
    expect(wrong[0]).toMatchObject({ check: 'settings', message: expect.stringMatching(/unknown settings voiceSlot/) });
    expect(wrong.map(({ check }) => check)).not.toContain('stacks');
  });

  it('prints one error instead of a failure for each check if the credentials are wrong', async () => {
    const refused = { error: 'InvalidClientTokenId', message: 'invalid', status: 403 };
    const { code, stderr } = await examine({ GetCallerIdentity: refused });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^No valid AWS credentials were found/)]);
  });

  it('calls the language model only if requested', async () => {
    expect((await examine()).asked).not.toContain('Converse');
  });
});

describe('the assessment of', () => {
  const aws = (command: string) => command;

  it('the clock becomes worse with the difference', () => {
    expect([0.4, -3, 6, -299, 301].map((seconds) => assessClock(seconds).status)).toEqual([
      ...['ok', 'ok', 'warning', 'warning', 'failed'],
    ]);
    expect(assessClock(-60).message).toMatch(/60 s behind/);
  });

  it('the concurrency counts reservations only until they are made', () => {
    const none = neededConcurrency({});
    expect(none.reserved).toBe(0);
    expect(none.workers).toBeGreaterThan(90);
    const needed = neededConcurrency({ costlyAtOnce: 50 });
    expect(needed.reserved).toBe(200);
    const status = (limit: number, unreserved: number, isDeployed: boolean) =>
      assessConcurrency({ limit, unreserved }, needed, isDeployed, aws).status;
    expect(status(1000, 1000, false)).toBe('ok');
    expect(status(400, 400, false)).toBe('warning');
    expect(status(400, 200, true)).toBe('warning');
    expect(status(400, 400, true)).toBe('ok');
    expect(status(250, 250, false)).toBe('failed');
  });

  it('the concurrency of a new account fails, and docs/deploy.md states its words and the numbers', () => {
    const documented = readFileSync(new URL('../../../docs/deploy.md', import.meta.url), 'utf8').replace(
      /[\s\\]+/g,
      ' ',
    );
    const needed = neededConcurrency({});
    const { status, message, fix } = assessConcurrency({ limit: 10, unreserved: 10 }, needed, false, aws);
    const stated = [
      `${message} aws ${fix} --region`,
      `run ${needed.workers + 100} functions at once`,
      `From ${needed.workers} to ${needed.workers + 99}, the check warns`,
    ];
    expect([status, stated.filter((words) => !documented.includes(words))]).toEqual(['failed', []]);
  });

  it('the concurrency names the highest valid costlyAtOnce if none is set', () => {
    const { workers, ...none } = neededConcurrency({});
    const message = (spare: number, needed = { ...none, workers }) =>
      assessConcurrency({ limit: 1000, unreserved: workers + 100 + spare }, needed, true, aws).message;
    expect(message(4 * 25 + 3)).toMatch(/costlyAtOnce is not set: 25 fits/);
    expect(message(4 * 500)).toMatch(/costlyAtOnce is not set: 60 fits/);
    for (const told of [message(3), message(400, neededConcurrency({ costlyAtOnce: 50 }))])
      expect(told).not.toContain('costlyAtOnce');
  });

  it('a model knows that some models are offered only through an inference profile', () => {
    const of = { isProfile: false, fix: 'x' };
    expect(assessModel({ modelId: MODEL, inferenceTypesSupported: ['PROVISIONED'] }, of)).toMatchObject([
      { status: 'failed' },
    ]);
    expect(assessModel({ modelId: MODEL, inferenceTypesSupported: ['ON_DEMAND'] }, of)).toEqual([]);
  });

  it.each([
    ['is in order', {}, []],
    ['is issued for a wildcard', { DomainName: '*.example.com' }, []],
    ['is for another name', { DomainName: 'other.example.com' }, ['failed']],
    ['ends soon', { NotAfter: new Date('2026-01-20') }, ['warning']],
    ['has expired', { Status: 'EXPIRED' as const }, ['failed']],
  ])('a certificate that %s', (_, over, expected) => {
    const detail = {
      CertificateArn: CERTIFICATE,
      Status: 'ISSUED' as const,
      NotAfter: new Date('2026-12-01'),
      ...over,
    };
    const findings = assessCertificate('calls.example.com', detail, new Date('2026-01-01'));
    expect(findings.map(({ status }) => status)).toEqual(expected);
  });
});
