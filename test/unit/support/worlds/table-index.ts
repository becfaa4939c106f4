import type { Item } from './expression.ts';

export type Keys = { partitionKey: string; sortKey?: string };

type Entry = { sort: string; order: number; partition: unknown; item: Item };

export const namesOf = ({ partitionKey, sortKey }: Keys): string[] =>
  sortKey ? [partitionKey, sortKey] : [partitionKey];

/** The items of a table or an index by partition, in the order of their sort keys, then of their creation. */
export class TableIndex {
  readonly keys: Keys;
  readonly #partitions = new Map<unknown, Entry[]>();
  readonly #shown = new Map<string, Entry>();
  readonly #order = new Map<string, number>();

  constructor(keys: Keys) {
    this.keys = keys;
  }

  /** Shows an item's current state. A sparse index omits an item without its keys. */
  show(id: string, item: Item | undefined): void {
    const former = this.#shown.get(id);
    if (former && item && this.#isInPlace(former, item)) {
      former.item = item;
      return;
    }
    if (former) {
      const entries = this.#partitions.get(former.partition) ?? [];
      entries.splice(positionOf(entries, former), 1);
      this.#shown.delete(id);
    }
    if (!item || namesOf(this.keys).some((name) => item[name] === undefined)) return;
    const entry = this.#entryOf(id, item);
    const entries = this.#partitions.get(entry.partition) ?? [];
    this.#partitions.set(entry.partition, entries);
    entries.splice(positionOf(entries, entry), 0, entry);
    this.#shown.set(id, entry);
  }

  /** Yields the items of a partition. @param after an item after which it starts; it may have left the partition */
  *read(partition: unknown, isForward: boolean, after?: { id: string; item: Item }): Generator<Item> {
    const entries = this.#partitions.get(partition) ?? [];
    const step = isForward ? 1 : -1;
    for (let at = this.#startOf(entries, isForward, after); entries[at]; at += step) yield (entries[at] as Entry).item;
  }

  #isInPlace({ partition, sort }: Entry, item: Item): boolean {
    const { partitionKey, sortKey } = this.keys;
    return item[partitionKey] === partition && (sortKey === undefined || item[sortKey] === sort);
  }

  #startOf(entries: readonly Entry[], isForward: boolean, after?: { id: string; item: Item }): number {
    if (!after) return isForward ? 0 : entries.length - 1;
    const key = this.#entryOf(after.id, after.item);
    const at = positionOf(entries, key);
    if (!isForward) return at - 1;
    return entries[at]?.order === key.order ? at + 1 : at;
  }

  #entryOf(id: string, item: Item): Entry {
    const { partitionKey, sortKey } = this.keys;
    const order = this.#order.get(id) ?? this.#order.size;
    this.#order.set(id, order);
    return { order, item, partition: item[partitionKey], sort: sortKey ? String(item[sortKey]) : '' };
  }
}

/** Finds the position of an entry, or where it belongs. */
function positionOf(entries: readonly Entry[], { sort, order }: Entry): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = entries[middle] as Entry;
    if (other.sort < sort || (other.sort === sort && other.order < order)) low = middle + 1;
    else high = middle;
  }
  return low;
}
