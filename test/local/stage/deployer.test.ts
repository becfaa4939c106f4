import { EncryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { AssumeRoleWithWebIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { App, DefaultStackSynthesizer } from 'aws-cdk-lib';
import { parse } from 'yaml';
import { openCloud } from '../../../bin/admin/cloud/cloud.ts';
import { names } from '../../../lib/names.ts';
import { DataStack } from '../../../lib/stacks/data.ts';
import { DeployerStack } from '../../../lib/stacks/deployer.ts';
import { read } from '../../infra/support/sources.ts';
import { aStage, unchecked } from '../../infra/support/synthesize.ts';
import { runCollected } from '../../support/admin/admin.ts';
import { wordsOf } from '../../support/admin/documented-commands.ts';
import { deployTemplate } from '../support/stack.ts';
import { TestCloud } from '../support/test-cloud.ts';

const STAGE = 'nightly';
const named = names(STAGE);
const REPOSITORY = 'acme/calls';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await TestCloud.startAsDefault();
  const app = new App(unchecked);
  // The emulator has no bootstrap stack.
  const synthesizer = () => new DefaultStackSynthesizer({ generateBootstrapVersionRule: false });
  // Retained, because a bucket that is emptied before its deletion needs a function of the CDK.
  new DataStack(app, 'data', { stage: aStage(STAGE), synthesizer: synthesizer() });
  const stage = aStage(STAGE, { isRetained: false, deployFrom: REPOSITORY });
  new DeployerStack(app, 'deployer', { stage, from: REPOSITORY, synthesizer: synthesizer() });
  const assembly = app.synth();
  for (const part of ['data', 'deployer'])
    await deployTemplate(cloud.cloudFormation, named.stack(part), assembly.getStackArtifact(part).template);
});
afterAll(async () => {
  delete process.env.AWS_SESSION_TOKEN;
  await cloud?.stop();
});

/** Gets the credentials of a job that runs in an environment of the repository. */
async function credentialsIn(environment: string) {
  const sub = `repo:${REPOSITORY}:environment:${environment}`;
  const claims = { iss: 'https://token.actions.githubusercontent.com', aud: 'sts.amazonaws.com', sub };
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const { Credentials } = await new STSClient(cloud.config).send(
    new AssumeRoleWithWebIdentityCommand({
      RoleArn: `arn:aws:iam::000000000000:role/${named.deployer}`,
      RoleSessionName: 'job',
      WebIdentityToken: `${part({ alg: 'none' })}.${part(claims)}.`,
    }),
  );
  const { AccessKeyId = '', SecretAccessKey = '', SessionToken = '' } = { ...Credentials };
  return { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken };
}

/** The operators' commands of the workflow: the variable that each one sets, and the member of its answer. */
function commandsOfWorkflow() {
  const { jobs } = parse(read('.github/workflows/nightly.yml'));
  const lines = jobs.nightly.steps.flatMap(({ run = '' }: { run?: string }) => run.split('\n')) as string[];
  return lines.flatMap((line) => {
    const [, variable = '', command, , member = ''] =
      /^(?:(\w+)=\$\()?(?:npm run --silent )?admin (?:-- )?([a-z].*?)( \| jq -er \.(\w+)\)| <<< .*|)$/.exec(line) ?? [];
    return command === undefined ? [] : [{ variable, command, member }];
  });
}

test('a job in the environment of a disposable stage may run the operators’ commands of its workflow', async () => {
  const { accessKeyId, secretAccessKey, sessionToken } = await credentialsIn(STAGE);
  Object.assign(process.env, {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
  });
  const opened = openCloud({ stage: STAGE }, process.env, () => ({ region: 'us-east-1', isRetained: false }));
  const values: Record<string, string> = { SMOKE_REGION: 'AE' };
  const answers: Record<string, unknown>[] = [];
  const commands = commandsOfWorkflow();
  expect(commands.map(({ command }) => command.split(' ', 2).join(' '))).toEqual([
    ...['secret set', 'org create', 'key create', 'assistant create'],
  ]);
  for (const { variable, command, member } of commands) {
    const words = wordsOf(command).map((word) =>
      word.replace(/\$\{(\w+):-(\w+)\}|\$(\w+)/g, (_, name, usual, plain) => values[name ?? plain] ?? usual ?? ''),
    );
    const input = JSON.stringify({ api_key: 'voice-key', phone_number_id: 'number-1' });
    const { code, stdout, stderr } = await runCollected([...words, '--json'], { cloud: opened, input });
    expect([command, code, stderr, stdout]).toEqual([command, 0, '', expect.any(String)]);
    const answer = JSON.parse(stdout);
    answers.push(answer);
    values[variable] = answer[member];
  }
  // The organization may call the country of the smoke call.
  expect(answers).toContainEqual(expect.objectContaining({ name: 'Nightly', countries: ['AE'] }));
});

test('a job of the stage may use no other key, and a job in another environment has no rights', async () => {
  const kms = new KMSClient({ ...cloud.config, credentials: await credentialsIn(STAGE) });
  const encrypt = (key: 'callback-secrets' | 'oauth-tokens') =>
    kms.send(new EncryptCommand({ KeyId: named.keyAlias(key), Plaintext: Buffer.from('secret') }));
  await encrypt('callback-secrets');
  await expect(encrypt('oauth-tokens')).rejects.toThrow(/not authorized to perform: kms:Encrypt/);
  await expect(credentialsIn('prod')).rejects.toThrow('Not authorized to perform sts:AssumeRoleWithWebIdentity');
});
