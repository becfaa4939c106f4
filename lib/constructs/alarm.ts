import {
  type Alarm,
  ComparisonOperator,
  type MathExpression,
  type Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';

/** How soon a person must act: at once, because calls, leads or money are being lost, or on the next working day. */
export type Severity = 'urgent' | 'warning';

/** The topic of each severity. */
export type AlarmTopics = Readonly<Record<Severity, ITopic>>;

type AlarmProps = {
  name: string;
  severity: Severity;
  /** What is wrong, and the section of the runbook. */
  description: string;
  /** The highest acceptable value, or the lowest one. */
  threshold: number;
  /** The number of consecutive bad periods that raise it. */
  periods?: number;
  /** Instead: one bad period among this many raises it, even if its value arrives late. */
  within?: number;
  /** The condition that raises it: too high, too low or, for a heartbeat, too high or no value. */
  raisedIf?: 'above' | 'below' | 'above or absent';
  /** Whether the alarm stays as it is while no value arrives, instead of ending. */
  waitsForValue?: boolean;
};

const words = { urgent: 'Urgent', warning: 'Warning' };

/** Creates an alarm that notifies its severity's topic when it begins and when it ends. */
export function createAlarm(
  scope: Construct,
  id: string,
  topics: AlarmTopics,
  metric: Metric | MathExpression,
  {
    name,
    severity,
    description,
    threshold,
    periods = 1,
    within,
    raisedIf = 'above',
    waitsForValue = false,
  }: AlarmProps,
): Alarm {
  const otherwise = waitsForValue ? TreatMissingData.IGNORE : TreatMissingData.NOT_BREACHING;
  const alarm = metric.createAlarm(scope, id, {
    alarmName: name,
    alarmDescription: `${words[severity]}: ${description}`,
    threshold,
    comparisonOperator:
      raisedIf === 'below' ? ComparisonOperator.LESS_THAN_THRESHOLD : ComparisonOperator.GREATER_THAN_THRESHOLD,
    evaluationPeriods: within ?? periods,
    ...(within !== undefined && { datapointsToAlarm: 1 }),
    treatMissingData: raisedIf === 'above or absent' ? TreatMissingData.BREACHING : otherwise,
  });
  const notify = new SnsAction(topics[severity]);
  alarm.addAlarmAction(notify);
  alarm.addOkAction(notify);
  return alarm;
}
