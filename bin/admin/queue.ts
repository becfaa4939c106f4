import { GetMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import {
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
} from '@aws-sdk/client-sqs';
import type { Command } from 'commander';
import type { FunctionName } from '../../lib/functions.ts';
import { type QueueName, queueRow, queues } from '../../lib/queues.ts';
import { type TableName, tableRow, tables } from '../../lib/tables.ts';
import type { Cloud } from './cloud.ts';
import { type Answer, acting, verb } from './command.ts';
import { Refusal } from './failures.ts';
import { table } from './output.ts';
import { runScheduled, scheduledFunctions } from './schedule.ts';
import { oneOf } from './values.ts';

const BATCH = 10; // SQS, ReceiveMessage
const EMPTY_LOOKS = 3;

/** Something that has dead letters: `queue` is where they go back to; without one, running `redo` does their work. */
type Source = { name: string; redo?: FunctionName } & ({ queue: QueueName; hasDepth: boolean } | { queue?: never });

const queueNames = Object.keys(queues) as QueueName[];
const streamed = (Object.keys(tables) as TableName[]).filter((name) => tableRow(name).hasStream);

/** Everything that lib makes a dead-letter queue for (lib/stacks/messaging.ts, lib/stacks/workers.ts). */
const sources: Source[] = [
  ...queueNames.map((queue) => ({ name: queue, queue, hasDepth: true })),
  ...queueNames
    .filter((queue) => queueRow(queue).events)
    .map((queue) => ({ name: `rule-${queue}`, queue, hasDepth: false })),
  // These only name what was lost, and recover-calls sends the work of all that has not moved. Scheduled calls of a
  // connection that went off are decided about once more when their time comes.
  ...streamed.map((name) => ({ name: `${name}-stream`, redo: 'recover-calls' as const })),
  ...scheduledFunctions.map((name) => ({ name, redo: name })),
];

const sourceNames = sources.map(({ name }) => name);

/** Queues of work and their dead letters. */
export function addQueue(program: Command): void {
  const noun = program.command('queue').description('queues of work and their dead letters');
  verb(noun, 'list', 'how much waits, for how long, and what could not be delivered').action(acting(list));
  verb(noun, 'redrive', 'has the dead letters worked on again')
    .option('--queue <name>', `only of ${sourceNames.join(', ')}`)
    .action(acting<{ queue?: string }>(redrive));
}

async function list(cloud: Cloud): Promise<Answer> {
  const ages = await agesOf(cloud);
  const found = await Promise.all(
    sources.map(async (source) => {
      const [own, dead] = await Promise.all([
        source.queue && source.hasDepth ? depthOf(cloud, cloud.named.queue(source.queue)) : nothing,
        depthOf(cloud, cloud.named.deadLetters(source.name)),
      ]);
      const { url: _, ...depth } = own;
      const oldest_age_seconds = (source.queue && source.hasDepth ? ages.get(source.queue) : undefined) ?? null;
      return { name: source.name, ...depth, oldest_age_seconds, dead_letters: dead.depth + dead.in_flight };
    }),
  );
  const rows = found.map((one) => [
    one.name,
    one.depth,
    one.in_flight,
    one.delayed,
    one.oldest_age_seconds ?? '-',
    one.dead_letters,
  ]);
  return {
    json: { queues: found },
    people: table(
      ['queue', 'depth', 'in flight', 'delayed', 'oldest (s)', 'dead letters'],
      rows,
      'There are no queues.',
    ),
  };
}

const AGE_MINUTES = 5;

/**
 * Seconds that the oldest message of each queue has waited, as CloudWatch last told: SQS itself does not, and looking at a
 * message would count as one of its deliveries. The local cloud has no such metric.
 */
async function agesOf(cloud: Cloud): Promise<Map<QueueName, number>> {
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

const nothing = { url: '', depth: 0, in_flight: 0, delayed: 0 };

async function depthOf(cloud: Cloud, queueName: string): Promise<typeof nothing> {
  const url = await cloud.queueUrl(queueName);
  const { Attributes } = await cloud.sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl: url,
      AttributeNames: [
        'ApproximateNumberOfMessages',
        'ApproximateNumberOfMessagesNotVisible',
        'ApproximateNumberOfMessagesDelayed',
      ],
    }),
  );
  return {
    url,
    depth: Number(Attributes?.ApproximateNumberOfMessages ?? 0),
    in_flight: Number(Attributes?.ApproximateNumberOfMessagesNotVisible ?? 0),
    delayed: Number(Attributes?.ApproximateNumberOfMessagesDelayed ?? 0),
  };
}

async function redrive(cloud: Cloud, flags: { queue?: string }): Promise<Answer> {
  const wanted = flags.queue === undefined ? sourceNames : [oneOf('--queue', flags.queue, sourceNames)];
  const moved: Record<string, number> = {};
  for (const source of sources.filter(({ name }) => wanted.includes(name)))
    moved[source.name] = await empty(cloud, source);
  const rows = Object.entries(moved).filter(([, count]) => count > 0);
  return {
    json: { moved },
    people: table(['queue', 'worked on again'], rows, 'There are no dead letters.'),
  };
}

/**
 * Empties a source's dead letters by hand: SQS's own move task knows only dead letters that SQS itself moved, not those of rules,
 * streams and schedules. One that is sent and not deleted is worked on twice, which every worker bears.
 * @returns how many went.
 */
async function empty(cloud: Cloud, source: Source): Promise<number> {
  const letters = await depthOf(cloud, cloud.named.deadLetters(source.name));
  // Bounded by what lay there at first: what fails again meanwhile must not go round and round.
  if (letters.depth === 0) return 0;
  if (source.redo) await runScheduled(cloud, source.redo, cloud.now().toISOString());
  const target = source.queue && (await cloud.queueUrl(cloud.named.queue(source.queue)));
  let moved = 0;
  for (let looks = 0; moved < letters.depth && looks < EMPTY_LOOKS; ) {
    const { Messages = [] } = await cloud.sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: letters.url,
        MaxNumberOfMessages: Math.min(BATCH, letters.depth - moved),
        MessageSystemAttributeNames: ['MessageGroupId'],
        WaitTimeSeconds: 1,
      }),
    );
    looks = Messages.length === 0 ? looks + 1 : 0;
    if (Messages.length === 0) continue;
    if (target) await send(cloud, target, Messages);
    await remove(cloud, letters.url, Messages);
    moved += Messages.length;
  }
  return moved;
}

async function send(cloud: Cloud, url: string, messages: Message[]): Promise<void> {
  const Entries = messages.map(({ Body = '', Attributes }, index) => ({
    Id: String(index),
    MessageBody: workIn(Body),
    // So that the dead letters of one connection do not hold up the leads of another (stores/leads/lead-queue.ts).
    ...(Attributes?.MessageGroupId && { MessageGroupId: Attributes.MessageGroupId }),
  }));
  const { Failed } = await cloud.sqs.send(new SendMessageBatchCommand({ QueueUrl: url, Entries }));
  if (Failed?.length)
    throw new Refusal('unavailable', `SQS refused ${Failed.length} messages; run queue redrive again.`);
}

async function remove(cloud: Cloud, url: string, messages: Message[]): Promise<void> {
  const Entries = messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
  const { Failed } = await cloud.sqs.send(new DeleteMessageBatchCommand({ QueueUrl: url, Entries }));
  if (Failed?.length)
    throw new Refusal(
      'unavailable',
      `SQS kept ${Failed.length} dead letters that were sent already; look again later.`,
    );
}

/** A rule's dead letter is the whole event (EventBridge, dead-letter queues); the queue's messages are its detail alone. */
function workIn(body: string): string {
  try {
    const event: unknown = JSON.parse(body);
    const isEvent = typeof event === 'object' && event !== null && 'detail-type' in event && 'detail' in event;
    return isEvent ? JSON.stringify(event.detail) : body;
  } catch {
    return body;
  }
}
