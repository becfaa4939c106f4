import { ScanCommand } from '@aws-sdk/client-dynamodb';
import {
  DeleteSecretCommand,
  DescribeSecretCommand,
  GetSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { App, DefaultStackSynthesizer, Tags } from 'aws-cdk-lib';
import { openCloud } from '../../../bin/admin/cloud/cloud.ts';
import { names, tagsOf } from '../../../lib/names.ts';
import { DataStack } from '../../../lib/stacks/data.ts';
import { aStage, unchecked } from '../../infra/support/synthesize.ts';
import { runCollected } from '../../support/admin/admin.ts';
import { deployByChangeSet } from '../support/change-sets.ts';
import { TestCloud } from '../support/test-cloud.ts';

const STAGE = 'prod';
const named = names(STAGE);

let cloud: TestCloud;
let secrets: SecretsManagerClient;
beforeAll(async () => {
  cloud = await TestCloud.startAsDefault();
  secrets = new SecretsManagerClient(cloud.config);
});
afterAll(() => cloud?.stop());

async function deploy(): Promise<void> {
  const app = new App(unchecked);
  // The emulator has no bootstrap stack.
  const synthesizer = new DefaultStackSynthesizer({ generateBootstrapVersionRule: false });
  new DataStack(app, 'data', { stage: aStage(STAGE), stackName: named.stack('data'), synthesizer });
  for (const [key, value] of Object.entries(tagsOf(STAGE))) Tags.of(app).add(key, value);
  const { template } = app.synth().getStackArtifact('data');
  const { status } = await deployByChangeSet(cloud.cloudFormation, named.stack('data'), template, { type: 'CREATE' });
  expect(status).toBe('CREATE_COMPLETE');
}

async function admin(input: object | string, ...args: string[]) {
  const opened = openCloud({ stage: STAGE }, process.env, () => ({ region: 'us-east-1' }));
  const ran = await runCollected([...args, '--json'], { cloud: opened, input: JSON.stringify(input) });
  return { code: ran.code, answer: JSON.parse(ran.stdout) };
}

const described = (name: string) => secrets.send(new DescribeSecretCommand({ SecretId: named.secret(name) }));
const stored = async (name: string) =>
  (await secrets.send(new GetSecretValueCommand({ SecretId: named.secret(name) }))).SecretString ?? '';

/** Deletes a secret for good, or schedules its deletion. */
const remove = (name: string, ForceDeleteWithoutRecovery: boolean) =>
  secrets.send(new DeleteSecretCommand({ SecretId: named.secret(name), ForceDeleteWithoutRecovery }));

test('a lost secret is created again, a scheduled deletion is canceled, and no lost permanent key is replaced', async () => {
  await expect(
    admin({ api_key: 'k', phone_number_id: 'n' }, 'secret', 'set', '--name', 'voice'),
  ).resolves.toMatchObject({
    ...{ code: 1, answer: { error: 'not_deployed' } },
  });
  await deploy();
  const voice = { api_key: 'voice-key', phone_number_id: 'number-1' };
  const set = (value: object, ...flags: string[]) => admin(value, 'secret', 'set', '--name', ...flags);
  expect(await set({ ...voice, api_key: 'former' }, 'voice')).toMatchObject({ code: 0 });
  const { Tags: tags = [] } = await described('voice');

  // Deleted for good: created again with the name and the tags of the stack.
  await remove('voice', true);
  expect(await set(voice, 'voice')).toMatchObject({ code: 0, answer: { version_id: expect.any(String) } });
  expect(JSON.parse(await stored('voice'))).toEqual(voice);
  const own = ({ Key = '' }) => !Key.startsWith('aws:');
  const sorted = (some: typeof tags) =>
    some.filter(own).sort((one, other) => (one.Key ?? '').localeCompare(other.Key ?? ''));
  expect(sorted((await described('voice')).Tags ?? [])).toEqual(sorted(tags));
  expect(sorted(tags)).toHaveLength(Object.keys(tagsOf(STAGE)).length);

  await remove('recording-link-key', true);
  const { answer: list } = await admin('', 'secret', 'list');
  const versions = Object.fromEntries(
    list.secrets.map((one: { name: string; versions: [] }) => [one.name, one.versions]),
  );
  expect([versions['recording-link-key'], versions['person-key']]).toEqual([[], [expect.anything()]]);
  expect(await admin('', 'secret', 'rotate', '--name', 'recording-link-key')).toMatchObject({ code: 0 });
  expect(await stored('recording-link-key')).toMatch(/^[0-9a-f]{64}$/);

  // Scheduled for deletion: the clients of the other data centers stay.
  const client = (id: string) => ({ client_id: id, client_secret: `${id}-secret` });
  // The first one replaces the random password of the deployment.
  expect(await set(client('in'), 'crm-b-oauth', '--data-center', 'in')).toMatchObject({ code: 0 });
  await remove('crm-b-oauth', false);
  expect(await set(client('eu'), 'crm-b-oauth', '--data-center', 'eu')).toMatchObject({ code: 0 });
  expect(JSON.parse(await stored('crm-b-oauth'))).toEqual({ in: client('in'), eu: client('eu') });
  await remove('voice-webhook-key', false);
  expect(await admin('', 'secret', 'rotate', '--name', 'voice-webhook-key')).toMatchObject({ code: 0 });
  expect((await described('voice-webhook-key')).DeletedDate).toBeUndefined();

  // No command creates a key on which receipts depend.
  await remove('person-key', true);
  for (const verb of ['set', 'rotate'])
    expect((await admin('', 'secret', verb, '--name', 'person-key')).answer).toMatchObject({ error: 'permanent_key' });
  await expect(described('person-key')).rejects.toThrow();

  const { Items = [] } = await cloud.dynamodb.send(new ScanCommand({ TableName: named.table('audit') }));
  const actions = Items.map(({ action }) => action?.S);
  expect(actions.filter((one) => one === 'secret.set')).toHaveLength(4);
  expect(actions.filter((one) => one === 'secret.rotated')).toHaveLength(2);
});
