import { Duration } from 'aws-cdk-lib';
import { ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Names } from '../names.ts';
import { MOST_DELIVERIES, type QueueName, queueRow } from '../queues.ts';

const OLDEST_MESSAGE = Duration.minutes(15);

type Props = { named: Names; alarms: ITopic };

/** A dead-letter queue: keeps messages for 14 days; any message raises the alarm. */
export class DeadLetterQueue extends Construct {
  readonly queue: Queue;

  /** @param of the source, as part of the queue's name. */
  constructor(scope: Construct, id: string, { named, alarms, of }: Props & { of: string }) {
    super(scope, id);
    this.queue = new Queue(this, 'queue', {
      queueName: named.deadLetters(of),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    this.queue
      .metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(1), statistic: 'Maximum' })
      .createAlarm(this, 'alarm', {
        alarmName: named.deadLetters(of),
        alarmDescription: `${of}: something could not be delivered. docs/runbooks/alarms.md, "Dead letters".`,
        threshold: 0,
        comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
        evaluationPeriods: 1,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      })
      .addAlarmAction(new SnsAction(alarms));
  }
}

/** A work queue with its dead-letter queue. Old messages raise an alarm. */
export class WorkQueue extends Construct {
  readonly queue: Queue;

  constructor(scope: Construct, name: QueueName, { named, alarms }: Props) {
    super(scope, `queue-${name}`);
    const { workerTimeoutSeconds } = queueRow(name);
    const deadLetters = new DeadLetterQueue(this, 'dead-letters', { named, alarms, of: name });
    this.queue = new Queue(this, 'queue', {
      queueName: named.queue(name),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      visibilityTimeout: Duration.seconds(6 * workerTimeoutSeconds),
      retentionPeriod: Duration.days(4),
      deadLetterQueue: { queue: deadLetters.queue, maxReceiveCount: MOST_DELIVERIES },
    });
    this.queue
      .metricApproximateAgeOfOldestMessage({ period: Duration.minutes(1), statistic: 'Maximum' })
      .createAlarm(this, 'age-alarm', {
        alarmName: `${named.queue(name)}-age`,
        alarmDescription: `${name}: work waits for more than 15 minutes. docs/runbooks/alarms.md, "Old work".`,
        threshold: OLDEST_MESSAGE.toSeconds(),
        comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
        evaluationPeriods: 3,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      })
      .addAlarmAction(new SnsAction(alarms));
  }
}
