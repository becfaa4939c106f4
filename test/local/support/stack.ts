import {
  type CloudFormationClient,
  CreateStackCommand,
  DescribeStackEventsCommand,
  DescribeStacksCommand,
  UpdateStackCommand,
} from '@aws-sdk/client-cloudformation';
import { untilNoError } from '../../support/runner/until-no-error.ts';

export type Resource = { readonly Type: string; readonly Properties?: object; readonly DependsOn?: string[] };
export type Resources = Readonly<Record<string, Resource>>;
/** Values that a stack exports, by the names of the exports. */
export type Exports = Readonly<Record<string, unknown>>;

const created = new WeakMap<CloudFormationClient, Set<string>>();

/**
 * Creates or updates a stack, which exports these values.
 * @returns `Ref` of each resource @throws with the resources' reasons on failure
 */
export async function deployStack(
  client: CloudFormationClient,
  name: string,
  resources: Resources,
  exports: Exports = {},
): Promise<Record<string, string>> {
  const outputs = Object.keys(resources).map((logicalId) => [logicalId, { Value: { Ref: logicalId } }]);
  const exported = Object.entries(exports).map(([Name, Value]) => [Name, { Value, Export: { Name } }]);
  return deployTemplate(client, name, {
    Resources: resources,
    Outputs: Object.fromEntries([...outputs, ...exported]),
  });
}

/**
 * Creates or updates a stack.
 * @returns its outputs @throws with the resources' reasons on failure
 */
export async function deployTemplate(
  client: CloudFormationClient,
  name: string,
  template: object,
): Promise<Record<string, string>> {
  const stacks = created.get(client) ?? new Set();
  created.set(client, stacks);
  const input = {
    StackName: name,
    TemplateBody: JSON.stringify(template),
    Capabilities: ['CAPABILITY_NAMED_IAM' as const],
  };
  await client.send(stacks.has(name) ? new UpdateStackCommand(input) : new CreateStackCommand(input)).catch(ignoreSame);
  stacks.add(name);

  const stack = await untilNoError(async () => {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: name }));
    const found = Stacks[0];
    if (found === undefined || /IN_PROGRESS$/.test(found.StackStatus ?? '')) throw new Error('still deploying');
    return found;
  }, 90);
  if (!/^(CREATE|UPDATE)_COMPLETE$/.test(stack.StackStatus ?? '')) {
    const { StackEvents = [] } = await client.send(new DescribeStackEventsCommand({ StackName: name }));
    const reasons = StackEvents.map((event) => event.ResourceStatusReason).filter(Boolean);
    throw new Error(`${stack.StackStatus}: ${reasons.join('; ')}`);
  }
  return Object.fromEntries(stack.Outputs?.map((output) => [output.OutputKey, output.OutputValue]) ?? []);
}

/** @throws the refusal of CloudFormation, unless the template is the deployed one */
function ignoreSame(error: Error): void {
  if (error.message !== 'No updates are to be performed.') throw error;
}

/** Policy statements that allow the actions on all resources. */
export const allow = (...actions: string[]) => [{ Effect: 'Allow', Action: actions, Resource: '*' }];

/** A role for the named services with the given policy statements. */
export function role(service: string, statements: readonly object[] = []): Resource {
  const trust = { Effect: 'Allow', Principal: { Service: service }, Action: 'sts:AssumeRole' };
  const policy = { PolicyName: 'grants', PolicyDocument: { Version: '2012-10-17', Statement: statements } };
  return {
    Type: 'AWS::IAM::Role',
    Properties: {
      AssumeRolePolicyDocument: { Version: '2012-10-17', Statement: [trust] },
      Policies: statements.length > 0 ? [policy] : [],
    },
  };
}

/**
 * Creates a function called `name` and its role.
 *
 * @param code body of an async function of (event, context). `record(value)` stores a value for TestCloud.records,
 * `calls` counts the invocations of this process, and `released(name)` waits for TestCloud.release.
 */
export function lambda(
  name: string,
  code: string,
  options: { statements?: readonly object[]; properties?: object } = {},
): Resources {
  const prelude = [
    "const record = (value) => require('node:fs').appendFileSync(",
    "  process.env.RECORDS + '/' + process.env.AWS_LAMBDA_FUNCTION_NAME, JSON.stringify(value) + '\\n');",
    "const sleep = require('node:timers/promises').setTimeout;",
    'const released = async (name) => {',
    "  while (!require('node:fs').existsSync(process.env.RECORDS + '/released-' + name)) await sleep(20);",
    '};',
    'let calls = 0;',
  ];
  const zipFile = [...prelude, `exports.handler = async (event, context) => { calls++; ${code} };`].join('\n');
  return {
    [`${name}Role`]: role('lambda.amazonaws.com', options.statements),
    [name]: {
      Type: 'AWS::Lambda::Function',
      Properties: {
        FunctionName: name,
        Runtime: 'nodejs24.x',
        Handler: 'index.handler',
        Role: { 'Fn::GetAtt': [`${name}Role`, 'Arn'] },
        Timeout: 120,
        Code: { ZipFile: zipFile },
        ...options.properties,
      },
    },
  };
}

/** Code of a function that returns its role's keys to the test: see TestCloud.configOf. */
export const CREDENTIALS =
  'const e = process.env; return [e.AWS_ACCESS_KEY_ID, e.AWS_SECRET_ACCESS_KEY, e.AWS_SESSION_TOKEN];';

export function queue(properties: object = {}): Resource {
  return { Type: 'AWS::SQS::Queue', Properties: properties };
}

/** A table with the key `id` and a stream of new images. */
export function table(properties: object = {}): Resource {
  return {
    Type: 'AWS::DynamoDB::Table',
    Properties: {
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      StreamSpecification: { StreamViewType: 'NEW_IMAGE' },
      ...properties,
    },
  };
}

/** Delivers a stream or a queue to a function. */
export function mapping(source: object, functionName: string, properties: object = {}): Resource {
  return {
    Type: 'AWS::Lambda::EventSourceMapping',
    Properties: { EventSourceArn: source, FunctionName: { Ref: functionName }, ...properties },
  };
}

export const arn = (logicalId: string) => ({ 'Fn::GetAtt': [logicalId, 'Arn'] });
export const streamArn = (logicalId: string) => ({ 'Fn::GetAtt': [logicalId, 'StreamArn'] });
