import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateStackCommand, DeleteStackCommand, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { noteCommand } from '../support/admin/seen-commands.ts';
import { eventually } from './support/eventually.ts';
import { runProgram } from './support/programs.ts';
import { queue, role, table } from './support/stack.ts';
import { TestCloud } from './support/test-cloud.ts';

const StackName = 'calling-service-local-data';
const TableName = 'calling-service-local-slots';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await TestCloud.start();
});
afterAll(() => cloud?.stop());

/** Creates the stack as CDK does: protected before it exists. @returns its final status */
async function deploy(resources: object): Promise<string | undefined> {
  await cloud.cloudFormation.send(
    new CreateStackCommand({
      StackName,
      TemplateBody: JSON.stringify({
        Resources: {
          Table: {
            ...table({ TableName, DeletionProtectionEnabled: true }),
            DeletionPolicy: 'RetainExceptOnCreate',
          },
          ...resources,
        },
      }),
      Capabilities: ['CAPABILITY_IAM'],
      EnableTerminationProtection: true,
    }),
  );
  return eventually(async () => {
    const { Stacks } = await cloud.cloudFormation.send(new DescribeStacksCommand({ StackName }));
    const status = Stacks?.[0]?.StackStatus;
    if (status?.endsWith('IN_PROGRESS')) throw new Error(status);
    return status;
  });
}

/** Runs `admin stage repair` on the cloud. */
async function repair() {
  const file = join(tmpdir(), `stage-repair-${process.pid}.json`);
  const { url, credentials } = cloud.emulator;
  const environment = { base_url: url, emulator_url: url, region: 'us-east-1', credentials };
  await writeFile(file, JSON.stringify(environment));
  const command = ['stage', 'repair', '--json'];
  const { code, out } = await runProgram(['bin/admin.ts', ...command], { CALLING_SERVICE_ENVIRONMENT: file });
  noteCommand(command, code);
  return { code, answer: JSON.parse(out) };
}

test('a stack whose first deployment failed is repaired by one command, and a working one is not changed', async () => {
  const refused = {
    Type: 'AWS::Scheduler::Schedule',
    DependsOn: ['Table'],
    Properties: {
      FlexibleTimeWindow: { Mode: 'OFF' },
      ScheduleExpression: 'every now and then',
      Target: { Arn: { 'Fn::GetAtt': ['Queue', 'Arn'] }, RoleArn: { 'Fn::GetAtt': ['Role', 'Arn'] } },
    },
  };
  const others = { Queue: queue(), Role: role('scheduler.amazonaws.com') };
  expect(await deploy({ ...others, Refused: refused })).toBe('ROLLBACK_FAILED');
  // The next deployment is blocked: the stack exists, is protected, and has left a table.
  await expect(deploy(others)).rejects.toThrow('already exists');
  await expect(cloud.cloudFormation.send(new DeleteStackCommand({ StackName }))).rejects.toThrow(
    'TerminationProtection',
  );

  const Item = { id: { S: '1' } };
  await cloud.dynamodb.send(new PutItemCommand({ TableName, Item }));
  expect(await repair()).toMatchObject({ code: 1, answer: { error: 'holds_data' } });
  await cloud.dynamodb.send(new DeleteItemCommand({ TableName, Key: Item }));

  expect(await repair()).toEqual({ code: 0, answer: { stage: 'local', stacks: [StackName], tables: [TableName] } });
  expect(await deploy(others)).toBe('CREATE_COMPLETE');
  expect(await repair()).toEqual({ code: 0, answer: { stage: 'local', stacks: [], tables: [] } });
});
