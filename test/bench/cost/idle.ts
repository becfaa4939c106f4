import type { Resource, Synthesized } from '../../infra/support/synthesize.ts';
import type { Bill } from './prices.ts';

const DAYS = 30;
const MINUTES = DAYS * 24 * 60;
/**
 * The pollers of a mapping that finds no messages (Lambda guide, "Configuring scaling behavior for SQS event source
 * mappings").
 */
const POLLERS = 5;
/** The longest wait of a request to a queue (SQS guide, "Short and long polling"). */
const LONGEST_POLL_SECONDS = 20;

/** The part of an idle month that depends only on the templates. */
export type Idle = {
  /** The units that AWS charges for while a resource exists, and the requests of pollers. */
  bill: Bill;
  alarms: number;
  polledQueues: number;
  /** How often each scheduled function runs in a month, by its name. */
  runs: Record<string, number>;
};

/**
 * Counts the paid units of an idle stage without names of its own, in a month of 30 days.
 * @param app the templates of a stage
 */
export function idleOf(app: Synthesized): Idle {
  const alarms = app.ofType('AWS::CloudWatch::Alarm').filter(({ Properties }) => !isOfCertificate(Properties));
  const composites = app.ofType('AWS::CloudWatch::CompositeAlarm').length;
  const polledQueues = app
    .ofType('AWS::Lambda::EventSourceMapping')
    // A queue's mapping has no starting position, a stream's has one. Lambda pays for its reads of streams.
    .filter(({ Properties }) => Properties.StartingPosition === undefined).length;
  return {
    bill: {
      alarms: alarms.reduce((sum, alarm) => sum + metricsOf(alarm), 0),
      ...(composites > 0 && { composites }),
      keys: app.ofType('AWS::KMS::Key').length,
      secrets: app.ofType('AWS::SecretsManager::Secret').length,
      dashboards: app.ofType('AWS::CloudWatch::Dashboard').length,
      messages: (polledQueues * POLLERS * MINUTES * 60) / LONGEST_POLL_SECONDS,
    },
    alarms: alarms.length,
    polledQueues,
    runs: Object.fromEntries(
      app
        .ofType('AWS::Events::Rule')
        .filter(({ Properties }) => Properties.ScheduleExpression !== undefined)
        .map((rule) => [startedBy(rule), MINUTES / minutesApart(rule.Properties.ScheduleExpression)]),
    ),
  };
}

/** Resources that are free, or charged by use or storage. */
const unchargedTypes = new Set(
  [
    ['ApiGatewayV2', 'Api', 'ApiMapping', 'Authorizer', 'DomainName', 'Integration', 'Route', 'Stage'],
    ['Budgets', 'Budget'],
    ['CertificateManager', 'Certificate'],
    ['CloudFront', 'Distribution', 'Function', 'OriginAccessControl', 'ResponseHeadersPolicy'],
    ['CodeDeploy', 'Application', 'DeploymentGroup'],
    ['Cognito', 'UserPool', 'UserPoolClient'],
    ['DynamoDB', 'GlobalTable'],
    ['Events', 'EventBus', 'Rule'],
    ['IAM', 'Policy', 'Role'],
    ['KMS', 'Alias'],
    ['Lambda', 'Alias', 'EventInvokeConfig', 'EventSourceMapping', 'Function', 'LayerVersion', 'Permission', 'Version'],
    ['Logs', 'LogGroup', 'MetricFilter', 'QueryDefinition'],
    // The hosted zone is the operator's.
    ['Route53', 'RecordSet'],
    ['S3', 'Bucket', 'BucketPolicy'],
    ['SNS', 'Subscription', 'Topic', 'TopicPolicy'],
    ['SQS', 'Queue', 'QueuePolicy'],
    ['Scheduler', 'ScheduleGroup'],
  ].flatMap(([service, ...kinds]) => kinds.map((kind) => `AWS::${service}::${kind}`)),
);
const chargedTypes = new Set([
  'AWS::CloudWatch::Alarm',
  'AWS::CloudWatch::CompositeAlarm',
  'AWS::CloudWatch::Dashboard',
  'AWS::KMS::Key',
  'AWS::SecretsManager::Secret',
]);

/** Lists the types of resources whose cost this file does not know. */
export const unknownTypes = ({ resources }: Synthesized): string[] =>
  [...new Set(resources.map(({ Type }) => Type))].filter(
    (type) => type.startsWith('AWS::') && !unchargedTypes.has(type) && !chargedTypes.has(type),
  );

/** Returns whether an alarm watches a certificate. Each of the stage's own names has one. */
const isOfCertificate = ({ MetricName }: Resource['Properties']): boolean => MetricName === 'DaysToExpiry';

/** An alarm on metric math is charged for each metric in it. */
const metricsOf = ({ Properties: { Metrics } }: Resource): number =>
  Metrics ? Metrics.filter(({ MetricStat }: { MetricStat?: object }) => MetricStat !== undefined).length : 1;

/** The rule's description ends with the function's name. */
const startedBy = ({ Properties }: Resource): string => String(Properties.Description).replace(/.* -> /, '');

function minutesApart(expression: string): number {
  const rate = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression);
  if (rate) return Number(rate[1]) * { minute: 1, hour: 60, day: 24 * 60 }[rate[2] as 'minute' | 'hour' | 'day'];
  if (/^cron\(\d+ \d+ \? \* [A-Z]{3} \*\)$/.test(expression)) return 7 * 24 * 60;
  throw new Error(`the schedule ${expression} is not understood: how often does it run?`);
}
