import { Duration } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Names } from '../names.ts';
import { deployedName, MAX_DELIVERIES, type QueueName, queueRow } from '../queues.ts';
import { type AlarmTopics, createAlarm, type Severity } from './alarm.ts';

const OLDEST_MESSAGE = Duration.minutes(15);

type Props = { named: Names; alarms: AlarmTopics };

type DeadLettersOf = {
  named: Names;
  /** Notified of any message; absent if another alarm reports lasting failures, because alarms cost money. */
  alarms?: AlarmTopics;
  /** The source, as part of the queue's name. */
  of: string;
};

/** Queues whose work cannot wait: otherwise leads are called late, calls wait, or ended calls stay live. */
const URGENT: readonly string[] = ['lead-events', 'dial', 'slots', 'voice-events', 'recover-calls', 'calls-stream'];

const severityOf = (queue: string): Severity => (URGENT.includes(queue) ? 'urgent' : 'warning');

/** A dead-letter queue: stores messages for 7 days, because they contain personal data. */
export class DeadLetterQueue extends Construct {
  readonly queue: Queue;

  constructor(scope: Construct, id: string, { named, alarms, of }: DeadLettersOf) {
    super(scope, id);
    this.queue = new Queue(this, 'queue', {
      queueName: named.deadLetters(of),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(7),
    });
    if (!alarms) return;
    const metric = this.queue.metricApproximateNumberOfMessagesVisible({
      period: Duration.minutes(1),
      statistic: 'Maximum',
    });
    createAlarm(this, 'alarm', alarms, metric, {
      name: named.deadLetters(of),
      severity: severityOf(of),
      description: `${of}: a message or an event could not be delivered. docs/runbooks/alarms.md, "Dead letters".`,
      threshold: 0,
    });
  }
}

/** A work queue with its dead-letter queue. Old messages raise an alarm. */
export class WorkQueue extends Construct {
  readonly queue: Queue;
  /** Also receives events that a rule could not put on the queue; an operator redrives both in the same way. */
  readonly deadLetters: Queue;

  constructor(scope: Construct, name: QueueName, { named, alarms }: Props) {
    super(scope, `queue-${deployedName(name)}`);
    const { workerTimeoutSeconds } = queueRow(name);
    this.deadLetters = new DeadLetterQueue(this, 'dead-letters', { named, alarms, of: name }).queue;
    this.queue = new Queue(this, 'queue', {
      queueName: named.queue(name),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      visibilityTimeout: Duration.seconds(6 * workerTimeoutSeconds),
      retentionPeriod: Duration.days(4),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: MAX_DELIVERIES },
    });
    const metric = this.queue.metricApproximateAgeOfOldestMessage({
      period: Duration.minutes(1),
      statistic: 'Maximum',
    });
    createAlarm(this, 'age-alarm', alarms, metric, {
      name: `${named.queue(name)}-age`,
      severity: severityOf(name),
      description: `${name}: work waits for more than 15 minutes. docs/runbooks/alarms.md, "Old work".`,
      threshold: OLDEST_MESSAGE.toSeconds(),
      periods: 3,
    });
  }
}
