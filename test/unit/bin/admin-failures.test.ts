import { openCloud } from '../../../bin/admin/cloud/cloud.ts';
import { explain } from '../../../bin/admin/explain.ts';
import { Refusal, WrongUsage } from '../../../bin/admin/failures.ts';
import { TransactionContention } from '../../../shared/domain/contention.ts';
import { SecretNotSet } from '../../../shared/stores/secrets.ts';
import { runCollected } from '../../support/admin/admin.ts';
import { aFile, offline } from '../../support/admin/offline-admin.ts';

const local = { stage: 'local', region: 'us-east-1', emulatorUrl: 'http://127.0.0.1:4566' };
const aws = { stage: 'prod', region: 'ap-south-1', emulatorUrl: undefined };

const failure = (name: string, message = 'text of the SDK') => Object.assign(new Error(message), { name });

describe('a failure', () => {
  it.each([
    [failure('TimeoutError'), local, 'unavailable', /127\.0\.0\.1:4566 does not answer: start it with npm start/],
    [failure('TimeoutError'), aws, 'unavailable', /AWS in ap-south-1 does not answer.*check before you repeat/],
    [Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), local, 'unavailable', /npm start/],
    [failure('UnrecognizedClientException'), local, 'unavailable', /rejects the local credentials/],
    [failure('ExpiredTokenException'), aws, 'unavailable', /No valid AWS credentials/],
    [failure('Error', 'Could not load credentials from any providers'), aws, 'unavailable', /aws sso login/],
    [failure('Error', 'Region is missing'), aws, 'unavailable', /--aws-region/],
    [failure('AccessDeniedException', 'not yours'), aws, 'unavailable', /lack the permission: not yours/],
    [failure('ResourceNotFoundException'), local, 'not_deployed', /restart it with npm start/],
    [failure('QueueDoesNotExist'), aws, 'not_deployed', /Stage prod .* ap-south-1: deploy it \(npx cdk deploy/],
    [failure('ValidationError', 'Stack x does not exist'), aws, 'not_deployed', /cdk deploy/],
    [new SecretNotSet('x'), aws, 'secret_not_set', /admin secret set --name voice/],
    [
      new TransactionContention(),
      aws,
      'unavailable',
      /^Other writers kept changing the same items\. Repeat the command\.$/,
    ],
    [new TransactionContention('', { hasUnknownOutcome: true }), aws, 'unavailable', /may have taken effect: check/],
  ])('becomes a refusal that says how to fix it if it is known: %s', (error, place, code, message) => {
    expect(explain(error, place)).toEqual(
      expect.objectContaining({ name: 'Refusal', error: code, message: expect.stringMatching(message) }),
    );
  });

  it.each([new Refusal('x', 'X.'), new WrongUsage('x'), failure('ValidationError', 'bad key'), 'text'])(
    'stays unchanged if it is unknown: %s',
    (error) => {
      expect(explain(error, aws)).toBe(error);
    },
  );
});

describe('admin', () => {
  const show = ['org', 'show', '--org', 'org0'];

  it.each([
    ['is missing', '/none/environment.json', /does not exist/],
    ['is not JSON', aFile('half.json', '{"base_url": '), /cannot be read: restart/],
    ['has another shape', aFile('other.json', '{}'), /cannot be read: restart/],
  ])('uses no AWS account if the environment file %s', async (_, file, message) => {
    const ran = await runCollected(show, {
      environment: { CALLING_SERVICE_ENVIRONMENT: file, AWS_REGION: 'us-east-1' },
    });
    expect(ran).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(message) });
  });

  it('shows an unknown failure by its message, and its stack if DEBUG is set', async () => {
    const cloud = openCloud({}, offline);
    const failing = {
      ...cloud,
      organizations: { ...cloud.organizations, get: () => Promise.reject(new Error('odd')) },
    };
    expect(await runCollected(show, { cloud: failing })).toEqual({ code: 1, stdout: '', stderr: 'odd\n' });
    const { stdout, stderr } = await runCollected([...show, '--json'], { cloud: failing, environment: { DEBUG: '1' } });
    expect(JSON.parse(stdout)).toEqual({ error: 'failed', message: 'odd' });
    expect(stderr).toMatch(/^odd\nError: odd\n {4}at /);
  });

  it('says how to sign in if there are no AWS credentials', async () => {
    const none = { AWS_SHARED_CREDENTIALS_FILE: '/none', AWS_CONFIG_FILE: '/none', AWS_EC2_METADATA_DISABLED: 'true' };
    const ours = process.env;
    process.env = none;
    const { code, stderr } = await runCollected([...show, '--stage', 'nowhere', '--region', 'us-east-1']).finally(
      () => {
        process.env = ours;
      },
    );
    expect([code, stderr]).toEqual([1, expect.stringContaining('aws sso login')]);
  });
});
