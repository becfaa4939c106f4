import {
  type Alarm,
  type CfnAlarm,
  ComparisonOperator,
  type MathExpression,
  type Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { IST } from '../../shared/domain/time/ist-day.ts';

/** How soon a person must act: at once, because calls, leads or money are being lost, or on the next working day. */
export type Severity = 'urgent' | 'warning';

/** The topic of each severity. */
export type AlarmTopics = Readonly<Record<Severity, ITopic>>;

type AlarmProps = {
  name: string;
  severity: Severity;
  /** The problem, and the section of the runbook. */
  description: string;
  /** The highest acceptable value, or the lowest one. */
  threshold: number;
  /** The number of consecutive bad periods that raise it. */
  periods?: number;
  /** Instead of `periods`: one bad period among the last `within` raises it, even if its value arrives late. */
  within?: number;
  /** Whether the periods are whole days in India. By default, they end now, and slide with time. */
  isByDay?: boolean;
  /**
   * The condition that raises it: too high, too low or, for a heartbeat, too high or no value. `above or gone`: a new
   * alarm waits for its first value; if values later stop, it notifies with the state INSUFFICIENT_DATA.
   * `below and kept`: if values stop, the alarm keeps its state instead of ending.
   */
  raisedIf?: 'above' | 'below' | 'above or absent' | 'above or gone' | 'below and kept';
};

const treatments = {
  above: TreatMissingData.NOT_BREACHING,
  below: TreatMissingData.NOT_BREACHING,
  'above or absent': TreatMissingData.BREACHING,
  'above or gone': TreatMissingData.MISSING,
  'below and kept': TreatMissingData.IGNORE,
};

const words = { urgent: 'Urgent', warning: 'Warning' };

/** Creates an alarm that notifies its severity's topic when it begins and when it ends. */
export function createAlarm(
  scope: Construct,
  id: string,
  topics: AlarmTopics,
  metric: Metric | MathExpression,
  { name, severity, description, threshold, periods = 1, within, isByDay, raisedIf = 'above' }: AlarmProps,
): Alarm {
  const alarm = metric.createAlarm(scope, id, {
    alarmName: name,
    alarmDescription: `${words[severity]}: ${description}`,
    threshold,
    comparisonOperator: raisedIf.startsWith('below')
      ? ComparisonOperator.LESS_THAN_THRESHOLD
      : ComparisonOperator.GREATER_THAN_THRESHOLD,
    evaluationPeriods: within ?? periods,
    ...(within !== undefined && { datapointsToAlarm: 1 }),
    treatMissingData: treatments[raisedIf],
  });
  if (isByDay) (alarm.node.defaultChild as CfnAlarm).evaluationWindow = { wallClockWindow: { timezone: IST } };
  const notify = new SnsAction(topics[severity]);
  alarm.addAlarmAction(notify);
  alarm.addOkAction(notify);
  // An alarm begins in this state, and CloudWatch notifies only of a change to it (API reference, "PutMetricAlarm").
  if (raisedIf === 'above or gone') alarm.addInsufficientDataAction(notify);
  return alarm;
}
