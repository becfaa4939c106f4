import { setTimeout as sleep } from 'node:timers/promises';
import { CreateStackCommand, DeleteStackCommand } from '@aws-sdk/client-cloudformation';
import { CognitoIdentityProviderClient, ListUserPoolsCommand } from '@aws-sdk/client-cognito-identity-provider';
import {
  CreateTableCommand,
  DeleteItemCommand,
  DeleteTableCommand,
  ListTablesCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { CreateQueueCommand, DeleteQueueCommand } from '@aws-sdk/client-sqs';
import { App, DefaultStackSynthesizer } from 'aws-cdk-lib';
import { openCloud } from '../../bin/admin/cloud/cloud.ts';
import { names } from '../../lib/names.ts';
import { DataStack } from '../../lib/stacks/data.ts';
import { MessagingStack } from '../../lib/stacks/messaging.ts';
import { tables } from '../../lib/tables.ts';
import { aStage, unchecked } from '../infra/support/synthesize.ts';
import { runCollected } from '../support/admin/admin.ts';
import { deployByChangeSet } from './support/change-sets.ts';
import { TestCloud } from './support/test-cloud.ts';

const STAGE = 'prod';
const named = names(STAGE);
const allTables = Object.keys(tables).map(named.table);
/** A table that the stack needs and a person has created. */
const foreign = named.table('usage');

let cloud: TestCloud;
let templates: Record<'data' | 'messaging', object>;
beforeAll(async () => {
  cloud = await TestCloud.startAsDefault();
  templates = synthesized();
});
afterAll(() => cloud?.stop());

/** The templates of a stage with real data. */
function synthesized(): typeof templates {
  const app = new App({ ...unchecked, context: { '@aws-cdk/core:defaultCrossStackReferences': 'both' } });
  const stage = aStage(STAGE);
  const props = (part: string) => ({
    ...{ stage, stackName: named.stack(part), env: { region: 'us-east-1', account: '000000000000' } },
    // The emulator has no bootstrap stack.
    synthesizer: new DefaultStackSynthesizer({ generateBootstrapVersionRule: false }),
  });
  const { alarms } = new DataStack(app, 'data', props('data'));
  new MessagingStack(app, 'messaging', { ...props('messaging'), alarms });
  const assembly = app.synth();
  const templateOf = (part: string) => assembly.getStackArtifact(part).template as object;
  return { data: templateOf('data'), messaging: templateOf('messaging') };
}

const deploy = (part: 'data' | 'messaging', isRolledBack = true) =>
  deployByChangeSet(cloud.cloudFormation, named.stack(part), templates[part], { type: 'CREATE', isRolledBack });

/** Runs `admin stage repair` with the stage's settings. */
async function repair() {
  const opened = openCloud({ stage: STAGE }, process.env, () => ({ region: 'us-east-1' }));
  const { code, stdout } = await runCollected(['stage', 'repair', '--json'], { cloud: opened });
  return { code, answer: JSON.parse(stdout) };
}

async function userPools() {
  const cognito = new CognitoIdentityProviderClient(cloud.config);
  return (await cognito.send(new ListUserPoolsCommand({ MaxResults: 10 }))).UserPools;
}

/** Expects that the next deployment is blocked: the stack can be neither created again, nor updated, nor deleted. */
async function expectBlocked(part: 'data' | 'messaging'): Promise<void> {
  const { cloudFormation } = cloud;
  const StackName = named.stack(part);
  await expect(deploy(part)).rejects.toThrow('already exists');
  const Capabilities = ['CAPABILITY_IAM' as const];
  await expect(
    cloudFormation.send(
      new CreateStackCommand({ StackName, Capabilities, TemplateBody: JSON.stringify(templates[part]) }),
    ),
  ).rejects.toThrow('already exists');
  await expect(deployByChangeSet(cloudFormation, StackName, templates[part], { type: 'UPDATE' })).rejects.toThrow(
    'can not be updated',
  );
  await expect(cloudFormation.send(new DeleteStackCommand({ StackName }))).rejects.toThrow('TerminationProtection');
}

test('a stage whose first deployments failed is deployed after their causes and their remains were removed', async () => {
  await cloud.dynamodb.send(
    new CreateTableCommand({
      TableName: foreign,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    }),
  );
  // The creation times of tables and stacks are whole seconds.
  await sleep(1_000);
  const first = await deploy('data');
  expect(first.reasons).toContainEqual(expect.stringContaining(`${foreign} already exists`));
  // The tables and the user pool are protected from deletion.
  expect(first.status).toBe('ROLLBACK_FAILED');
  expect(first.reasons).toContainEqual(expect.stringContaining('deletion protection is activated'));
  const { TableNames } = await cloud.dynamodb.send(new ListTablesCommand({}));
  expect(TableNames?.sort()).toEqual([...allTables].sort());
  await expectBlocked('data');

  const TableName = named.table('slots');
  const Item = { scope: { S: 'stage' } };
  await cloud.dynamodb.send(new PutItemCommand({ TableName, Item }));
  expect(await repair()).toMatchObject({ code: 1, answer: { error: 'holds_data' } });
  await cloud.dynamodb.send(new DeleteItemCommand({ TableName, Key: Item }));

  // Before the cause is corrected, the next deployment fails for the same reason. It leaves all that it has created.
  const left = allTables.filter((name) => name !== foreign);
  const pool = expect.stringMatching(/^us-east-1_/);
  const repaired = { stage: STAGE, stacks: [named.stack('data')], tables: left, user_pools: [pool], in_progress: [] };
  expect(await repair()).toEqual({ code: 0, answer: repaired });
  const second = await deploy('data', false);
  expect(second.status).toBe('CREATE_FAILED');
  expect(second.reasons).toContainEqual(expect.stringContaining(`${foreign} already exists`));
  await expectBlocked('data');
  await cloud.dynamodb.send(new DeleteTableCommand({ TableName: foreign }));
  expect(await repair()).toEqual({ code: 0, answer: repaired });
  expect(await userPools()).toEqual([]);
  expect(await deploy('data')).toMatchObject({ status: 'CREATE_COMPLETE', reasons: [] });

  // The stack after it fails, too, and leaves nothing behind but itself.
  const { QueueUrl } = await cloud.sqs.send(new CreateQueueCommand({ QueueName: named.queue('dial') }));
  const third = await deploy('messaging');
  expect(third.status).toBe('ROLLBACK_COMPLETE');
  expect(third.reasons).toContainEqual(expect.stringContaining(`${named.queue('dial')} already exists`));
  await expectBlocked('messaging');
  await cloud.sqs.send(new DeleteQueueCommand({ QueueUrl }));
  await cloud.dynamodb.send(new PutItemCommand({ TableName, Item }));
  const ofMessaging = { stage: STAGE, stacks: [named.stack('messaging')], tables: [], user_pools: [], in_progress: [] };
  expect(await repair()).toEqual({ code: 0, answer: ofMessaging });
  // docs/deploy.md, "If a deployment fails": SQS refuses the names of deleted queues for a minute.
  await cloud.moveClock(61);
  expect((await deploy('messaging')).status).toBe('CREATE_COMPLETE');

  expect(await repair()).toEqual({
    code: 0,
    answer: { stage: STAGE, stacks: [], tables: [], user_pools: [], in_progress: [] },
  });
});
