import { Stack, type StackProps } from 'aws-cdk-lib';
import { EventBus, type EventPattern, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { EVENT_SOURCE } from '../../shared/stores/calls/event-bus.ts';
import type { AlarmTopics } from '../constructs/alarm.ts';
import { publish } from '../constructs/published-values.ts';
import { DeadLetterQueue, WorkQueue } from '../constructs/work-queue.ts';
import { names } from '../names.ts';
import { type QueueName, queueRow, queues } from '../queues.ts';
import type { Stage } from '../stage.ts';
import { type TableName, tableRow, tables } from '../tables.ts';
import type { ScheduledQueue } from '../uses.ts';

type Schedules = { groupName: string; role: Role };

const scheduledQueues: readonly ScheduledQueue[] = ['callbacks', 'releases', 'tickets'];

/** The bus `calls`, the work queues, the rules between them and the groups of one-time schedules. */
export class MessagingStack extends Stack {
  readonly bus: EventBus;
  readonly queues: Record<QueueName, Queue>;
  /** On-failure queues of the table streams. */
  readonly streamFailures: Partial<Record<TableName, Queue>>;
  /** Groups of one-time schedules, by target queue. */
  readonly schedules: Record<ScheduledQueue, Schedules>;

  constructor(
    scope: Construct,
    id: string,
    { stage, alarms, ...props }: StackProps & { stage: Stage; alarms: AlarmTopics },
  ) {
    super(scope, id, props);
    const named = names(stage.name);

    this.bus = new EventBus(this, 'bus', { eventBusName: named.bus });
    const queueNames = Object.keys(queues) as QueueName[];
    const made = queueNames.map((name) => [name, new WorkQueue(this, name, { named, alarms })] as const);
    this.queues = Object.fromEntries(made.map(([name, { queue }]) => [name, queue])) as Record<QueueName, Queue>;
    for (const [name, queue] of made) this.#rule(name, queue);

    const streamed = (Object.keys(tables) as TableName[]).filter((name) => tableRow(name).hasStream);
    this.streamFailures = Object.fromEntries(
      streamed.map((name) => [
        name,
        new DeadLetterQueue(this, `${name}-stream-failures`, { named, alarms, of: `${name}-stream` }).queue,
      ]),
    );
    this.schedules = Object.fromEntries(scheduledQueues.map((of) => [of, this.#schedules(of)])) as Record<
      ScheduledQueue,
      Schedules
    >;
    this.#publish();
  }

  /** Publishes the values that functions of another version may use. */
  #publish(): void {
    const { bus, queues, streamFailures, schedules } = this;
    publish(this, [
      ...[bus.eventBusName, bus.eventBusArn],
      ...Object.values(queues).flatMap(({ queueUrl, queueArn }) => [queueUrl, queueArn]),
      ...Object.values(streamFailures).map(({ queueArn }) => queueArn),
      ...Object.values(schedules).flatMap(({ groupName, role }) => [groupName, role.roleArn]),
    ]);
  }

  /**
   * Creates a group of one-time schedules and the role that sends their messages. CloudFormation names the group: a
   * deleted group exists until its schedules are deleted, and blocks a new one of its name (EventBridge Scheduler API,
   * "DeleteScheduleGroup").
   */
  #schedules(of: ScheduledQueue): Schedules {
    const group = new CfnScheduleGroup(this, `${of}-schedules`);
    const role = new Role(this, `${of}-schedules-role`, {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': this.account } },
      }),
    });
    this.queues[of].grantSendMessages(role);
    return { groupName: group.ref, role };
  }

  /** Routes events to a queue. It gets only their `detail`, so that its messages look the same from every sender. */
  #rule(name: QueueName, { queue, deadLetters }: WorkQueue): void {
    const { events, only } = queueRow(name);
    if (!events) return;
    const eventPattern: EventPattern = {
      source: [EVENT_SOURCE],
      detailType: [...events],
      ...(only && { detail: { [only]: [true] } }),
    };
    new Rule(this, `rule-${name}`, {
      eventBus: this.bus,
      description: `calls -> ${name}`,
      eventPattern,
      targets: [
        new SqsQueue(queue, {
          message: RuleTargetInput.fromEventPath('$.detail'),
          deadLetterQueue: deadLetters,
        }),
      ],
    });
  }
}
