import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as LambdaFunction, RecursiveLoop, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { bundleFolder } from '../bundle.ts';
import { type FunctionName, functionRow, hasErrorsAlarm, memoryOf, sendsToOwnQueue } from '../functions.ts';
import { names } from '../names.ts';
import { queueRow } from '../queues.ts';
import type { FunctionRow } from '../uses.ts';
import { createAlarm } from './alarm.ts';
import type { Resources } from './resources.ts';
import { rightsOf } from './rights.ts';
import { valueFor } from './values.ts';

/**
 * Longer than all bounded waits of a route together, so that the route itself answers 503. API Gateway's limit is 30 s.
 */
export const TIMEOUT_SECONDS = 20;

/** A function of lib/functions.ts with the project's defaults, its own log group and exactly the rights it uses. */
export class ServiceFunction extends LambdaFunction {
  /** The alarm on its errors; undefined if another alarm covers them. */
  readonly errors: Alarm | undefined;

  constructor(scope: Construct, name: FunctionName, resources: Resources) {
    const row = functionRow(name);
    const { stage } = resources;
    const named = names(stage.name);
    const parts = new Construct(scope, `${name}-parts`);

    const logGroup = new LogGroup(parts, 'log', {
      logGroupName: named.functionLog(name),
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
      memorySize: memoryOf(name),
      timeout: Duration.seconds(timeoutOf(name)),
      // Deliveries and dials share the rest of the account's concurrency.
      ...(row.isCostly && stage.costlyAtOnce && { reservedConcurrentExecutions: stage.costlyAtOnce }),
      // Lambda would end a chain of messages after 16 invocations (Lambda guide, "Recursive loop detection"), but a
      // callback or a lead may wait more often. Our deadlines limit the chains (docs/architecture.md, "The queues").
      ...(sendsToOwnQueue(name) && { recursiveLoop: RecursiveLoop.ALLOW }),
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
        ...(stage.modelApiUrl && usesModel(row) && { AWS_ENDPOINT_URL_BEDROCK_RUNTIME: stage.modelApiUrl }),
        SERVICE_NAME: name,
        METRICS_NAMESPACE: named.metrics,
      },
    });
    for (const use of [...Object.values(row.uses), ...(row.formerUses ?? [])])
      for (const statement of rightsOf(use, resources)) this.addToRolePolicy(statement);

    this.errors = hasErrorsAlarm(name) ? this.#createErrorsAlarm(name, resources) : undefined;
  }

  #createErrorsAlarm(name: FunctionName, { stage, data }: Resources): Alarm {
    return createAlarm(this, 'errors-alarm', data.alarms, this.metricErrors({ period: Duration.minutes(5) }), {
      name: `${names(stage.name).function(name)}-errors`,
      severity: 'urgent',
      description: `${name} fails. ${functionRow(name).ifItFails} docs/runbooks/alarms.md, "A function fails".`,
      threshold: 0,
    });
  }
}

const usesModel = ({ uses }: FunctionRow): boolean => Object.values(uses).some(({ kind }) => kind === 'model');

/** Time-out of one invocation, in seconds. */
function timeoutOf(name: FunctionName): number {
  const { trigger, timeoutSeconds } = functionRow(name);
  return timeoutSeconds ?? (trigger.kind === 'queue' ? queueRow(trigger.queue).workerTimeoutSeconds : TIMEOUT_SECONDS);
}
