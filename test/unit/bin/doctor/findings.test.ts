import type { AwsAnswers } from '../../../support/admin/aws-simulator.ts';
import { closeServers } from '../../../support/loopback.ts';
import {
  examine,
  isAbout,
  type Line,
  MODEL,
  named,
  REGION,
  secrets,
  settings,
  stacks,
  subscription,
  topic,
} from '../../support/doctor.ts';

afterEach(closeServers);

describe('admin doctor', () => {
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
      {
        check: 'mail',
        message: expect.stringMatching(/sandbox/),
        fix: `aws sesv2 put-account-details --production-access-enabled --mail-type TRANSACTIONAL --website-url https://calls.example.com --region ${REGION}`,
      },
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

  it('names a reservation that the next deployment cannot make, although the stage already has a smaller one', async () => {
    const account = {
      GetAccountSettings: { AccountLimit: { ConcurrentExecutions: 250, UnreservedConcurrentExecutions: 242 } },
      GetFunctionConcurrency: { ReservedConcurrentExecutions: 2 },
    };
    const { code, wrong } = await examine(account, { file: { ...settings, costlyAtOnce: 50 } });
    expect([code, wrong]).toEqual([
      1,
      [
        expect.objectContaining({
          check: 'concurrency',
          message: 'costlyAtOnce reserves 200 of 250: AWS requires that 100 stay unreserved.',
        }),
      ],
    ]);
    // Of a function that is not deployed yet.
    const none = { GetFunctionConcurrency: { error: 'ResourceNotFoundException', status: 404 } };
    expect((await examine({ ...account, ...none })).wrong).toEqual([]);
  });

  it('names the identity that Cognito needs, even if the sender has another one', async () => {
    // Only the domain is verified.
    const mailIdentity = 'notices@example.com';
    expect((await examine({}, { file: { ...settings, mailIdentity: 'example.com' } })).wrong).toEqual([]);
    const { wrong } = await examine({}, { file: { ...settings, mailIdentity } });
    expect(wrong).toEqual([
      expect.objectContaining({
        check: 'mail',
        status: 'failed',
        message: 'Amazon SES does not know the sender notices@example.com.',
        fix: expect.stringContaining('create-email-identity --email-identity notices@example.com'),
      }),
    ]);
  });
});
