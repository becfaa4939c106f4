import { ArnFormat, Duration, RemovalPolicy } from 'aws-cdk-lib';
import { ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Code,
  Function as LambdaFunction,
  RecursiveLoop,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { bundleFolder } from '../bundle.ts';
import { type FunctionName, functionRow } from '../functions.ts';
import { modelArns } from '../model.ts';
import { names } from '../names.ts';
import { queueRow } from '../queues.ts';
import type { DataStack } from '../stacks/data.ts';
import type { MessagingStack } from '../stacks/messaging.ts';
import type { Stage } from '../stage.ts';
import type { FunctionRow, Use } from '../uses.ts';

export type Resources = {
  stage: Stage;
  data: DataStack;
  messaging: MessagingStack;
  /** Base of the addresses given to clients and remote systems. */
  publicUrl: string;
  /** Origin of the dashboard's pages. */
  dashboardUrl: string;
};

const MEMORY_MB = 256;
/**
 * Longer than all bounded waits of a route together, so that the route itself answers 503. API Gateway's limit is 30.
 */
const TIMEOUT_SECONDS = 20;

/** A function of lib/functions.ts with the project's defaults, its own log group and exactly the rights it uses. */
export class ServiceFunction extends LambdaFunction {
  constructor(scope: Construct, name: FunctionName, resources: Resources) {
    const row = functionRow(name);
    const { stage, data } = resources;
    const named = names(stage.name);
    const parts = new Construct(scope, `${name}-parts`);

    const logGroup = new LogGroup(parts, 'log', {
      logGroupName: `/aws/lambda/${named.function(name)}`,
      retention: stage.logRetentionDays,
      // A log group left behind would block a new deployment of a disposable stack.
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // Its own role: CDK's managed policy could write to every log group of the account.
    const role = new Role(parts, 'role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    role.addToPolicy(
      new PolicyStatement({
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        resources: [`${logGroup.logGroupArn}`],
      }),
    );

    super(scope, name, {
      functionName: named.function(name),
      description: `${row.entry}. If it fails: ${row.ifItFails}`.slice(0, 256),
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: Code.fromAsset(bundleFolder(name)),
      handler: 'index.handler',
      memorySize: row.memoryMb ?? MEMORY_MB,
      timeout: Duration.seconds(timeoutOf(name)),
      tracing: Tracing.ACTIVE,
      // Lambda would end a chain of messages after 16 invocations (Lambda guide, "Recursive loop detection"), but a
      // callback or a lead may wait more often. Our deadlines limit the chains (docs/architecture.md, "The queues").
      ...(row.trigger.kind === 'queue' && { recursiveLoop: RecursiveLoop.ALLOW }),
      logGroup,
      role,
      environment: {
        ...Object.fromEntries(
          Object.entries(row.uses).flatMap(([variable, use]) => {
            const value = valueFor(use, resources);
            return value === undefined ? [] : [[variable, value]];
          }),
        ),
        // The SDK reads this variable (SDKs and Tools guide, "Service-specific endpoints").
        ...(stage.modelApiUrl && asksModel(row) && { AWS_ENDPOINT_URL_BEDROCK_RUNTIME: stage.modelApiUrl }),
        POWERTOOLS_SERVICE_NAME: name,
        POWERTOOLS_METRICS_NAMESPACE: named.metrics,
      },
    });
    for (const use of Object.values(row.uses))
      for (const statement of rightsOf(use, resources)) this.addToRolePolicy(statement);

    this.metricErrors({ period: Duration.minutes(5) })
      .createAlarm(this, 'errors-alarm', {
        alarmName: `${named.function(name)}-errors`,
        alarmDescription: `${name} fails. ${row.ifItFails} docs/runbooks/alarms.md, "A function fails".`,
        threshold: 0,
        comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
        evaluationPeriods: 1,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      })
      .addAlarmAction(new SnsAction(data.alarms));
  }
}

const asksModel = ({ uses }: FunctionRow): boolean => Object.values(uses).some(({ kind }) => kind === 'model');

/** Time-out of one invocation, in seconds. */
function timeoutOf(name: FunctionName): number {
  const { trigger, timeoutSeconds } = functionRow(name);
  return timeoutSeconds ?? (trigger.kind === 'queue' ? queueRow(trigger.queue).workerTimeoutSeconds : TIMEOUT_SECONDS);
}

/** Returns undefined for an optional setting that the stage lacks. */
function valueFor(use: Use, { stage, data, messaging, publicUrl, dashboardUrl }: Resources): string | undefined {
  switch (use.kind) {
    case 'table':
      return data.tables[use.table].tableName;
    case 'files':
      return data.files.bucketName;
    case 'queueUrl':
      return messaging.queues[use.queue].queueUrl;
    case 'queueArn':
      return messaging.queues[use.queue].queueArn;
    case 'secret':
      return names(stage.name).secret(use.secret);
    case 'key':
      return data.keys[use.key].keyArn;
    case 'bus':
      return messaging.bus.eventBusName;
    case 'model':
      return stage.modelId;
    case 'mailFrom':
      return stage.mailFrom;
    case 'schedulesGroup':
      return messaging.schedules[use.of].group.scheduleGroupName;
    case 'schedulesRole':
      return messaging.schedules[use.of].role.roleArn;
    case 'userPool':
      return data.userPool.userPoolId;
    case 'userPoolClient':
      return data.userPoolClient.userPoolClientId;
    case 'setting': {
      const value = { ...stage, publicUrl, dashboardUrl }[use.setting];
      if (value === undefined && use.isOptional) return undefined;
      if (value === undefined) throw new Error(`the stage has no ${use.setting}`);
      return String(value);
    }
  }
}

/** Allows writing only these attributes, and returning none of the others (DynamoDB guide, "Fine-grained access"). */
const updating = (attributes: readonly string[], tableArn: string) =>
  new PolicyStatement({
    actions: ['dynamodb:UpdateItem'],
    resources: [tableArn],
    conditions: {
      'ForAllValues:StringEquals': { 'dynamodb:Attributes': [...attributes] },
      StringEqualsIfExists: { 'dynamodb:ReturnValues': ['NONE', 'UPDATED_OLD', 'UPDATED_NEW'] },
    },
  });

/**
 * Allows sending as this address alone. SES knows it as an identity of its own, or by its domain (Amazon SES guide,
 * "Identity and access management").
 */
function sending(from: string, data: DataStack): PolicyStatement {
  const identity = (resourceName: string) => data.formatArn({ service: 'ses', resource: 'identity', resourceName });
  return new PolicyStatement({
    actions: ['ses:SendEmail'],
    resources: [identity(from), identity(from.slice(from.indexOf('@') + 1))],
    conditions: { StringEquals: { 'ses:FromAddress': from } },
  });
}

/** The least privilege that makes the use work. */
function rightsOf(use: Use, { stage, data, messaging }: Resources): PolicyStatement[] {
  const allow = (actions: readonly string[], ...resources: string[]) =>
    new PolicyStatement({ actions: [...actions], resources });
  switch (use.kind) {
    case 'table': {
      const { tableArn } = data.tables[use.table];
      const actions = (names: readonly string[]) => names.map((action) => `dynamodb:${action}`);
      const { updatable } = use;
      const free = use.actions.filter((action) => !(updatable && action === 'UpdateItem'));
      return [
        ...(free.length > 0 ? [allow(actions(free), tableArn)] : []),
        ...(updatable ? [updating(updatable, tableArn)] : []),
        ...Object.entries(use.indexes ?? {}).map(([index, names]) =>
          allow(actions(names), `${tableArn}/index/${index}`),
        ),
      ];
    }
    case 'files':
      return [
        allow(
          use.actions.map((action) => `s3:${action}`),
          ...use.prefixes.map((prefix) => data.files.arnForObjects(`${prefix}*`)),
        ),
      ];
    case 'queueUrl':
      return [allow(['sqs:SendMessage'], messaging.queues[use.queue].queueArn)];
    case 'secret':
      // Secrets Manager appends six characters to the name.
      return [
        allow(
          ['secretsmanager:GetSecretValue'],
          data.formatArn({
            service: 'secretsmanager',
            resource: 'secret',
            resourceName: `${names(stage.name).secret(use.secret)}-??????`,
            arnFormat: ArnFormat.COLON_RESOURCE_NAME,
          }),
        ),
      ];
    case 'key':
      return [
        allow(
          use.actions.map((action) => `kms:${action}`),
          data.keys[use.key].keyArn,
        ),
      ];
    case 'bus':
      return [allow(['events:PutEvents'], messaging.bus.eventBusArn)];
    case 'model':
      return [
        allow(
          ['bedrock:InvokeModel'],
          ...modelArns(stage.modelId, { region: stage.region, account: data.account, partition: data.partition }),
        ),
      ];
    case 'mailFrom':
      return stage.mailFrom === undefined ? [] : [sending(stage.mailFrom, data)];
    case 'schedulesGroup':
      // A schedule's ARN contains its group's name, not the group's ARN.
      return [
        allow(
          ['scheduler:CreateSchedule'],
          messaging.formatArn({
            service: 'scheduler',
            resource: 'schedule',
            resourceName: `${names(stage.name).schedules(use.of)}/*`,
          }),
        ),
      ];
    case 'schedulesRole':
      return [
        new PolicyStatement({
          actions: ['iam:PassRole'],
          resources: [messaging.schedules[use.of].role.roleArn],
          conditions: { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
        }),
      ];
    case 'userPool':
      return [
        allow(
          use.actions.map((action) => `cognito-idp:${action}`),
          data.userPool.userPoolArn,
        ),
      ];
    case 'userPoolClient':
    case 'queueArn':
    case 'setting':
      return [];
  }
}
