import { functionNames, functionRow } from '../../lib/functions.ts';
import { MAX_DELIVERIES, type QueueName, queueRow } from '../../lib/queues.ts';
import type { QueueSender } from '../../shared/stores/queue.ts';
import type { FailureRates } from './failure-rates.ts';
import type { Processes } from './processes.ts';
import type { Random } from './random.ts';
import type { Timeline } from './timeline.ts';

type Sent<Message> = { message: Message; deliveries: number; redrives: number };

const REDRIVE_MS = 40 * 60_000;
/** A message that reaches the dead letters more often than this will never be processed. */
const MAX_REDRIVES = 4;

export type SimulatedQueue<Message extends object> = QueueSender<Message> & {
  /** Puts a message on the queue without a request of a process. */
  put(message: Message, delayMs?: number): void;
  /** Messages that are on the queue, at a worker or among the dead letters. */
  readonly size: number;
  readonly redriven: number;
};

/** The handler of a queue's function, per message or per batch. */
type Work<Message> =
  | { each: (message: Message) => Promise<unknown> }
  | { all: (messages: Message[]) => Promise<unknown> };

export type QueueParts = {
  timeline: Timeline;
  random: Random;
  rates: FailureRates;
  processes: Processes;
  /** Called with a description of a message that failed every delivery and redrive. */
  onPoison: (text: string) => void;
};

/**
 * Simulates an SQS queue with its function. Messages are delivered at least once, in any order, and again after the
 * visibility time-out. After the last delivery they become dead letters, which an operator redrives later. Time-outs,
 * batches and concurrency are those of the deployed queue.
 */
export function queueOf<Message extends object>(
  { timeline, random, rates, processes, onPoison }: QueueParts,
  name: QueueName,
  work: Work<Message>,
  onSend: (message: Message) => void = () => undefined,
): SimulatedQueue<Message> {
  const worker = functionNames.find((one) => {
    const { trigger } = functionRow(one);
    return trigger.kind === 'queue' && trigger.queue === name;
  });
  const trigger = worker && functionRow(worker).trigger;
  if (trigger?.kind !== 'queue') throw new Error(`the queue ${name} has no function`);
  const visibilityMs = 6_000 * queueRow(name).workerTimeoutSeconds;
  const visible: Sent<Message>[] = [];
  let [size, working, redriven, isPolled] = [0, 0, 0, false];

  const show = (sent: Sent<Message>) => {
    visible.push(sent);
    poll();
  };
  const poll = () => {
    if (isPolled || working >= trigger.maxConcurrency || visible.length === 0) return;
    isPolled = true;
    timeline.after(random.whole(1, 60), () => {
      isPolled = false;
      const most = Math.min(trigger.batchSize, visible.length);
      const batch = Array.from({ length: most }, () => visible.splice(random.whole(0, visible.length - 1), 1)[0]);
      void workOn(batch as Sent<Message>[]);
      poll();
    });
  };

  const workOn = async (batch: Sent<Message>[]) => {
    working += 1;
    const done = new Set<Sent<Message>>();
    const isDone = await processes.run(String(worker), async () => {
      if ('all' in work) {
        const result = await work.all(batch.map(({ message }) => message));
        for (const sent of batch) done.add(sent);
        return result;
      }
      const results = await Promise.allSettled(
        batch.map(async (sent) => {
          const result = await work.each(sent.message);
          done.add(sent);
          return result;
        }),
      );
      return results.map((result) => (result.status === 'fulfilled' ? result.value : String(result.reason)));
    });
    working -= 1;
    // All messages of a dead worker are delivered again, even those that it processed.
    for (const sent of batch) settle(sent, isDone && done.has(sent));
    poll();
  };

  const settle = (sent: Sent<Message>, isDone: boolean) => {
    if (isDone) {
      size -= 1;
      return;
    }
    sent.deliveries += 1;
    if (sent.deliveries < MAX_DELIVERIES) return timeline.after(random.next() * visibilityMs, () => show(sent));
    if (sent.redrives === MAX_REDRIVES) onPoison(`${name} never processes ${JSON.stringify(sent.message)}`);
    timeline.after(REDRIVE_MS, () => {
      redriven += 1;
      show({ ...sent, deliveries: 0, redrives: sent.redrives + 1 });
    });
  };

  const put = (message: Message, delayMs = 0) => {
    onSend(message);
    const copies = random.chance(rates.duplicate) ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1) {
      size += 1;
      const isLate = random.chance(copy > 0 ? 0.5 : rates.late);
      const lateMs = isLate ? random.whole(1_000, 120_000) : random.whole(5, 80);
      timeline.after(delayMs + lateMs, () => show({ message, deliveries: 0, redrives: 0 }));
    }
  };

  const sending = (messages: readonly Message[], delaySeconds: number) =>
    processes.request({
      what: () => `sends ${messages.length} to ${name}${delaySeconds ? ` in ${delaySeconds} s` : ''}: ${ids(messages)}`,
      act: () => {
        for (const message of messages) put(message, Math.ceil(delaySeconds) * 1000);
      },
      mayRepeat: true,
    });

  return {
    put,
    send: (message, delaySeconds = 0) => sending([message], delaySeconds),
    sendMany: async (messages) => {
      for (let start = 0; start < messages.length; start += 10) await sending(messages.slice(start, start + 10), 0);
    },
    get size() {
      return size;
    },
    get redriven() {
      return redriven;
    },
  };
}

const ids = (messages: readonly object[]): string =>
  messages
    .map((message) => Object.entries(message).find(([name]) => /^(call|event|org)_id$/.test(name))?.[1])
    .join(' ');
