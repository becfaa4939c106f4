import { GetMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import type { FunctionName } from '../../../../lib/functions.ts';
import { type QueueName, queues } from '../../../../lib/queues.ts';
import { type TableName, tableRow, tables } from '../../../../lib/tables.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { scheduledFunctions } from '../../cloud/scheduled.ts';

/** A source of dead letters. They return to `queue`; without a queue, the function `redo` repeats their work. */
export type Source = { name: string; redo?: FunctionName } & ({ queue: QueueName } | { queue?: never });

const queueNames = Object.keys(queues) as QueueName[];
const streamedTables = (Object.keys(tables) as TableName[]).filter((name) => tableRow(name).hasStream);

/** Every source that lib creates a dead-letter queue for (lib/stacks/messaging.ts, lib/stacks/workers.ts). */
export const sources: readonly Source[] = [
  ...queueNames.map((queue) => ({ name: queue, queue })),
  // A stream's dead letter only names the lost batch; recover-calls repeats the work of every call without progress.
  ...streamedTables.map((name) => ({ name: `${name}-stream`, redo: 'recover-calls' as const })),
  ...scheduledFunctions.map((name) => ({ name, redo: name })),
];

export const sourceNames = sources.map(({ name }) => name);

const AGE_MINUTES = 5;

export type Depth = { depth: number; in_flight: number; delayed: number };

export const noDepth: Depth = { depth: 0, in_flight: 0, delayed: 0 };

export async function depthOf(cloud: Cloud, queueUrl: string): Promise<Depth> {
  const { Attributes } = await cloud.sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl: queueUrl,
      AttributeNames: [
        'ApproximateNumberOfMessages',
        'ApproximateNumberOfMessagesNotVisible',
        'ApproximateNumberOfMessagesDelayed',
      ],
    }),
  );
  return {
    depth: Number(Attributes?.ApproximateNumberOfMessages ?? 0),
    in_flight: Number(Attributes?.ApproximateNumberOfMessagesNotVisible ?? 0),
    delayed: Number(Attributes?.ApproximateNumberOfMessagesDelayed ?? 0),
  };
}

/**
 * Reads the age of the oldest message of each queue from CloudWatch: SQS does not report it, and receiving a message
 * would count as a delivery. The local cloud has no such metric.
 * @returns seconds.
 */
export async function agesOf(cloud: Cloud): Promise<Map<QueueName, number>> {
  const EndTime = cloud.now();
  const { MetricDataResults = [] } = await cloud.cloudWatch.send(
    new GetMetricDataCommand({
      StartTime: new Date(EndTime.getTime() - AGE_MINUTES * 60_000),
      EndTime,
      ScanBy: 'TimestampDescending',
      MetricDataQueries: queueNames.map((queue, index) => ({
        Id: `q${index}`,
        MetricStat: {
          Metric: {
            Namespace: 'AWS/SQS',
            MetricName: 'ApproximateAgeOfOldestMessage',
            Dimensions: [{ Name: 'QueueName', Value: cloud.named.queue(queue) }],
          },
          Period: 60,
          Stat: 'Maximum',
        },
      })),
    }),
  );
  return new Map(
    MetricDataResults.flatMap(({ Id, Values = [] }): [QueueName, number][] => {
      const queue = queueNames[Number(Id?.slice(1))];
      return queue && Values[0] !== undefined ? [[queue, Values[0]]] : [];
    }),
  );
}
