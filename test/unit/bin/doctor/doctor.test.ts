import { stackParts } from '../../../../bin/admin/cloud/failed-stacks.ts';
import { closeServers } from '../../../support/loopback.ts';
import { examine, MODEL, named, secrets, settings, stacks } from '../../support/doctor.ts';
import { aConnection } from '../../support/worlds/items.ts';

afterEach(closeServers);

const noStacks = stacks(Object.fromEntries(stackParts.map((part) => [part, undefined])));

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

  it.each(stackParts)(
    'counts the stack %s as missing if its deployment was prepared, and never started',
    async (part) => {
      const name = named.stack(part);
      const { wrong } = await examine({ DescribeStacks: stacks({ [part]: { status: 'REVIEW_IN_PROGRESS' } }) });
      const { wrong: expected } = await examine({ DescribeStacks: stacks({ [part]: undefined }) });
      expect(wrong).toEqual(expected);
      const isRequired = !['deployer', 'certificates', 'dashboard-certificate'].includes(part);
      expect(JSON.stringify(wrong).includes(`${name} does not exist`)).toBe(isRequired);
    },
  );

  it('warns of a missing OAuth client before the first consent, which would fail, but only if a connection waits for it', async () => {
    const none = { GetSecretValue: secrets({ 'crm-b-oauth': {} }) };
    const { code, wrong } = await examine(none, { connection: aConnection() });
    expect([code, wrong]).toEqual([
      0,
      [
        {
          ...{ check: 'secrets', status: 'warning' },
          message: 'The secret crm-b-oauth has no client: a connection waits for a consent that no person can give.',
          fix: 'npm run --silent admin -- secret set --name crm-b-oauth --data-center in --stage prod --aws-region ap-south-1 < client.json',
        },
      ],
    ]);
    expect((await examine({}, { connection: aConnection() })).wrong).toEqual([]);
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
      [
        'concurrency',
        'Not checked: these credentials lack the right lambda:GetAccountSettings and lambda:GetFunctionConcurrency.',
      ],
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

  // DynamoDB API reference, "DescribeContinuousBackups".
  it('checks all tables, although DynamoDB tells the backups of only ten in a second', async () => {
    const answered: number[] = [];
    const { code, wrong } = await examine({
      DescribeContinuousBackups: (): object => {
        const now = performance.now();
        if (answered.filter((at) => at > now - 1_000).length >= 10)
          return { error: 'ThrottlingException', message: 'Rate exceeded', status: 400 };
        answered.push(now);
        return {
          ContinuousBackupsDescription: {
            ContinuousBackupsStatus: 'ENABLED',
            PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: 'ENABLED' },
          },
        };
      },
    });
    expect([code, wrong]).toEqual([0, []]);
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
