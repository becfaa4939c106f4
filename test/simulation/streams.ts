import { type QueueName, queueRow, queues } from '../../lib/queues.ts';
import type { CallEvent } from '../../shared/domain/calls/call-event.ts';
import type { Item } from '../unit/support/worlds/expression.ts';
import type { QueueParts } from './queues.ts';

type Change<Image> = { sequenceNumber: string; before: Image | undefined; after: Image };

const BATCH = 20;

/**
 * Simulates the stream of a table: it delivers each item's changes in order, and repeats a batch from the first change
 * that failed.
 */
export function streamOf<Image>(
  { timeline, random, processes }: QueueParts,
  name: string,
  parse: (item: Item) => Image,
  work: (changes: readonly Change<Image>[]) => Promise<string | undefined>,
) {
  const shards = [0, 1, 2].map(() => ({ waiting: [] as Change<Item>[], isRead: false }));
  // The old image of a change is the new image of the previous one.
  const parsed = new WeakMap<Item, Image>();
  let written = 0;

  const imageOf = (item: Item): Image => {
    const image = parsed.get(item) ?? parse(item);
    parsed.set(item, image);
    return image;
  };
  const imagesOf = ({ sequenceNumber, before, after }: Change<Item>): Change<Image> => ({
    sequenceNumber,
    before: before && imageOf(before),
    after: imageOf(after),
  });

  const read = (shard: (typeof shards)[number]) => {
    if (shard.isRead || shard.waiting.length === 0) return;
    shard.isRead = true;
    timeline.after(random.whole(50, 400), async () => {
      const batch = shard.waiting.slice(0, BATCH);
      let again: string | undefined = batch[0]?.sequenceNumber;
      await processes.run(name, async () => {
        again = await work(batch.map(imagesOf));
        return `${batch.length} changes`;
      });
      const left = batch.findIndex(({ sequenceNumber }) => sequenceNumber === again);
      shard.waiting.splice(0, left < 0 ? batch.length : left);
      shard.isRead = false;
      read(shard);
    });
  };

  return {
    /** Adds a change of an item. @param key determines its shard */
    add(key: string, before: Item | undefined, after: Item): void {
      written += 1;
      const sum = [...key].reduce((total, character) => total + character.charCodeAt(0), 0);
      const shard = shards[sum % shards.length] as (typeof shards)[number];
      shard.waiting.push({ sequenceNumber: String(written), before, after });
      read(shard);
    },
    get size(): number {
      return shards.reduce((sum, { waiting }) => sum + waiting.length, 0);
    },
  };
}

type Puts = Partial<Record<QueueName, { put(message: never, delayMs?: number): void }>>;

/**
 * Simulates the bus with its rules (lib/queues.ts). It may refuse events, deliver them twice and, after accepting them,
 * lose them.
 */
export function busOf({ random, rates, processes }: QueueParts, targets: Puts) {
  const route = (event: CallEvent): void => {
    for (const name of Object.keys(queues) as QueueName[]) {
      const { events, only } = queueRow(name);
      if (!events?.includes(event.type) || (only && !event[only])) continue;
      const copies = random.chance(rates.lost) ? 0 : random.chance(rates.duplicate) ? 2 : 1;
      for (let copy = 0; copy < copies; copy += 1) targets[name]?.put(event as never, random.whole(10, 500));
    }
  };
  return {
    publish: (events: readonly CallEvent[]): Promise<boolean[]> =>
      processes.request({
        what: () => `publishes ${events.map(({ type, call_id }) => `${type} ${call_id}`).join(', ')}`,
        act: () =>
          events.map((event) => {
            const isAccepted = !random.chance(rates.error);
            if (isAccepted) route(event);
            return isAccepted;
          }),
      }),
  };
}
