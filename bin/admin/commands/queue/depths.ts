import { GetMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import type { QueueName } from '../../../../lib/queues.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { queueNames } from './sources.ts';

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
