import { Duration } from 'aws-cdk-lib';
import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  MathExpression,
  Metric,
  PeriodOverride,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { Names } from '../names.ts';
import { type QueueName, queues } from '../queues.ts';
import { stageMetrics } from './stage-metrics.ts';

const WIDTH = 8;
const queueNames = Object.keys(queues) as QueueName[];

type Props = { named: Names; modelId: string; alarms: Alarm[] };

/** The stage's CloudWatch dashboard (docs/operations.md, "The board"): its state on one page. */
export class StageBoard extends Construct {
  constructor(scope: Construct, id: string, { named, modelId, alarms }: Props) {
    super(scope, id);
    const metric = stageMetrics(named);
    const graph = (title: string, left: IMetric[], more: { right?: IMetric[]; stacked?: boolean } = {}): IWidget =>
      new GraphWidget({ title, left, ...more, width: WIDTH, period: Duration.minutes(5) });
    const p50 = Stats.percentile(50);
    const p99 = Stats.percentile(99);
    const queue = (QueueName: string, metricName: string, statistic: string) =>
      new Metric({ namespace: 'AWS/SQS', metricName, dimensionsMap: { QueueName }, statistic, label: QueueName });
    const model = (statistic: string) =>
      new Metric({
        namespace: 'AWS/Bedrock',
        metricName: 'InvocationLatency',
        dimensionsMap: { ModelId: modelId },
        statistic,
        label: `model ${statistic}, ms`,
      });
    const outcomes = new MathExpression({
      // In quotes, because the name of a stage may contain a dash.
      expression: `SEARCH('{"${named.metrics}",service,status} MetricName="CallEnded"', 'Sum')`,
      usingMetrics: {},
      label: '',
    });
    new Dashboard(this, 'board', {
      dashboardName: named.stack('board'),
      defaultInterval: Duration.hours(12),
      periodOverride: PeriodOverride.INHERIT,
      widgets: [
        [new AlarmStatusWidget({ title: 'Objectives', alarms, width: 24, height: 3 })],
        [
          graph('Placed to dialed, s; shares in time', [metric('SecondsToDial', p50), metric('SecondsToDial', p99)], {
            right: [metric('DialedInTime', Stats.AVERAGE), metric('FinishedInTime', Stats.AVERAGE)],
          }),
          graph('Calls by outcome', [outcomes], { stacked: true }),
          graph('Lines that calls hold', [metric('SlotsHeld', Stats.MAXIMUM)]),
        ],
        [
          graph(
            'Oldest message, s',
            queueNames.map((name) => queue(named.queue(name), 'ApproximateAgeOfOldestMessage', Stats.MAXIMUM)),
          ),
          graph(
            'Dead letters',
            queueNames.map((name) =>
              queue(named.deadLetters(name), 'ApproximateNumberOfMessagesVisible', Stats.MAXIMUM),
            ),
          ),
          graph('Ended to finished, s; the model', [metric('SecondsToFinish', p50), metric('SecondsToFinish', p99)], {
            right: [model(p50), model(p99)],
          }),
        ],
        [
          graph('Credit held for calls with a line', [metric('CreditHeld', Stats.MAXIMUM)]),
          graph('Credits of a call, and of all', [metric('CreditsOfCall', Stats.AVERAGE)], {
            right: [metric('CreditsOfCall', Stats.SUM)],
          }),
          graph('Callbacks', [metric('CallbackDelivered', Stats.SUM), metric('CallbackFailed', Stats.SUM)]),
        ],
      ],
    });
  }
}
