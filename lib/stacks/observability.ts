import { Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { MathExpression, type Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { MetricName } from '../../shared/domain/metric.ts';
import { createAlarm } from '../constructs/alarm.ts';
import { CostBudget } from '../constructs/cost-budget.ts';
import { FollowCall } from '../constructs/follow-call.ts';
import { Objectives } from '../constructs/objectives.ts';
import { StageBoard } from '../constructs/stage-board.ts';
import { stageMetrics } from '../constructs/stage-metrics.ts';
import { limitedFunctions } from '../functions.ts';
import { names } from '../names.ts';
import type { Stage } from '../stage.ts';
import type { DataStack } from './data.ts';

/** The meaning of each metric when it is not zero. docs/runbooks/alarms.md has a section for each. */
const meanings: Record<MetricName, string> = {
  DoubleDial: 'The voice platform has two live calls for one call of ours. Runbook: "A double dial".',
  DialOperatorFault:
    'The voice platform refuses our account or configuration, or a hang-up. Runbook: "The platform refuses us".',
  PlatformGateClosed:
    'No call is dialed: the voice platform fails, or has refused dials three times in a row. Runbook: "The gate is closed".',
  UnitsBeyondHold: 'A call cost more than its hold; the rest is not charged. Runbook: "Beyond the hold".',
  CallNotRecovered: 'recover-calls could not advance a call. Runbook: "A call is not recovered".',
  SlotsCorrected: 'A slot counter did not match the calls that hold slots. Runbook: "A slot counter was wrong".',
  KnowledgeMissing: 'A call was dialed without a document of its assistant. Runbook: "Knowledge is missing".',
  ChannelDown:
    'A CRM-B connection has no watch channel, and arming one failed: its leads arrive late. Runbook: "A channel is down".',
  ChannelCheckLate:
    'A check of the watch channels had no time for all connections. Runbook: "A check of the channels is late".',
  ConnectionSilent:
    'A CRM-A connection has had no deliveries for much longer than usual. Runbook: "A connection is silent".',
  ModelOperatorFault:
    'The language model refuses our account, or the configured model does not exist. Runbook: "The model refuses us".',
  AnalysisFailed: 'A call was finished without its analysis. Runbook: "A call is not analyzed".',
  LeadGivenUp: 'A lead was not called, and the service does not try again. Runbook: "A lead is given up".',
  SpendLimitReached:
    'A daily spend limit is reached: calls of an organization, or of all, wait. Runbook: "A spend limit is reached".',
  GrantGone: 'A vendor has ended a grant: a person must consent again. Runbook: "A grant is gone".',
  NoticeNotSent: 'E-mails about low credit or a broken connection were not sent. Runbook: "A notice is not sent".',
  NotAuthenticated:
    'Many requests come without a valid key, token, signature or password. Runbook: "Many requests are not authenticated".',
  UnusualSpend:
    'An organization used far more credit in an hour than usual. Runbook: "An organization spends unusually".',
  CallLost: 'The voice platform reported no end of a call long after its latest possible end. Runbook: "A lost call".',
};

/** The highest count per five minutes that raises no alarm; 0 for metrics that are not listed. */
const thresholds: Partial<Record<MetricName, number>> = {
  // A client with a revoked key, people who mistype, or a passing scanner cause fewer.
  NotAuthenticated: 100,
};

/** Metrics that mean that calls are currently not placed, placed twice, or more expensive than they should be. */
const urgent: readonly MetricName[] = [
  'DoubleDial',
  'DialOperatorFault',
  'PlatformGateClosed',
  'CallNotRecovered',
  'ChannelDown',
  'SpendLimitReached',
  'UnusualSpend',
];

/** How long functions may be throttled before the alarm is raised. The work of a short burst is retried. */
const THROTTLED = { period: Duration.minutes(5), periods: 3 };

/**
 * Alarms on the service's own metrics and objectives, and on all functions together; the stage's board, its budget and
 * the query that follows a call. Alarms on one queue or function are defined beside it.
 */
export class ObservabilityStack extends Stack {
  constructor(scope: Construct, id: string, { stage, data, ...props }: StackProps & { stage: Stage; data: DataStack }) {
    super(scope, id, props);
    const named = names(stage.name);
    const metric = stageMetrics(named);
    for (const [metricName, meaning] of Object.entries(meanings) as [MetricName, string][]) {
      createAlarm(this, metricName, data.alarms, metric(metricName, 'Sum'), {
        name: named.alarm(metricName),
        severity: urgent.includes(metricName) ? 'urgent' : 'warning',
        description: meaning,
        threshold: thresholds[metricName] ?? 0,
      });
    }
    createAlarm(this, 'throttles', data.alarms, unwantedThrottles(stage), {
      name: named.stack('throttles'),
      severity: 'urgent',
      description:
        'Lambda refuses to run functions of this region. docs/runbooks/alarms.md, "Functions are throttled".',
      threshold: 0,
      periods: THROTTLED.periods,
    });
    const { alarms } = new Objectives(this, 'objectives', { named, topics: data.alarms });
    const { monthlyBudget: monthly, alarmEmail: email } = stage;
    if (monthly && email) new CostBudget(this, 'costs', { named, monthly, email });
    new FollowCall(this, 'follow-call', { named });
    new StageBoard(this, 'stage', { named, modelId: stage.modelId, alarms });
  }
}

/**
 * Returns the throttles of all functions of the region, which share the account's concurrency, except the functions
 * that the stage limits. The metric without a name counts all functions.
 */
function unwantedThrottles(stage: Stage): Metric | MathExpression {
  const { period } = THROTTLED;
  const all = LambdaFunction.metricAllThrottles({ period, statistic: 'Sum' });
  const limited = Object.fromEntries(
    limitedFunctions(stage).map((name, index) => [
      `limited${index}`,
      all.with({ dimensionsMap: { FunctionName: names(stage.name).function(name) } }),
    ]),
  );
  const ids = Object.keys(limited);
  if (ids.length === 0) return all;
  return new MathExpression({
    // A function without invocations has no values, so a difference with them would have none, either. SUM ignores
    // missing values.
    expression: `SUM([${['all', ...ids.map((id) => `-FILL(${id}, 0)`)].join(', ')}])`,
    usingMetrics: { all, ...limited },
    period,
    label: 'throttles',
  });
}
