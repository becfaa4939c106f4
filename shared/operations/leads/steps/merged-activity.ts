import type { Slice } from '../../../domain/slice.ts';
import type { EntryPosition, EntryRange } from '../../../stores/connections/activity.ts';
import type { Page } from '../../../stores/dynamodb/reads.ts';

/** A connection's entries in a list that merges several: identified by its type, so that a position reveals no id. */
export type ListedConnection = { connection_id: string; type: string };

/** The position in a merged list: the last entry of each connection, and the time of the last entry overall. */
export type MergedPosition = { at: string; last: Readonly<Record<string, EntryPosition>> };

/** Reads a page of a connection's full or brief entries. */
export type ReadEntries<Entry> = (connectionId: string, range: EntryRange) => Promise<Page<Entry>>;

type Stream<Entry> = {
  type: string;
  entries: Entry[];
  last?: EntryPosition;
  isDone: boolean;
  read: (limit: number) => Promise<void>;
};

/**
 * Reads the entries of several connections as one list, newest first, each from where the previous page ended.
 * @param options.range ISO 8601, both inclusive. @param options.slice bounds the reads of a connection
 */
export function mergedActivity<Entry extends EntryPosition>(
  readEntries: ReadEntries<Entry>,
  connections: readonly ListedConnection[],
  options: {
    range: { from?: string; to?: string };
    before: MergedPosition | undefined;
    slice: Slice;
  },
) {
  const { range, before, slice } = options;
  const { from = '0', to = '9999' } = range;
  let at = before?.at;

  const streams = connections.map(({ connection_id, type }): Stream<Entry> => {
    const given = before?.last[type];
    // DynamoDB rejects a start key outside the queried range.
    const start = given && given.at <= to ? given : undefined;
    // A connection that has shown no entry yet continues after the entries that the others have shown.
    const until = !given && at !== undefined && at < to ? at : to;
    const stream: Stream<Entry> = {
      type,
      entries: [],
      isDone: from > until || (given !== undefined && given.at < from),
      read: async (limit) => {
        const position = stream.last;
        const page = await readEntries(connection_id, {
          from,
          to: until,
          limit,
          ...(position && { before: position }),
        });
        stream.entries = page.items;
        stream.isDone = !page.last;
      },
      ...(start && { last: start }),
    };
    return stream;
  });
  const isEmpty = ({ entries }: Stream<Entry>) => entries.length === 0;

  return {
    /** Takes the next entry. @returns undefined at the end, or once enough was read. */
    async next(): Promise<Entry | undefined> {
      for (;;) {
        const waiting = streams.filter((stream) => isEmpty(stream) && !stream.isDone);
        if (waiting.length === 0) break;
        const limit = slice.next();
        if (limit === undefined) return undefined;
        await Promise.all(waiting.map(({ read }) => read(limit)));
        slice.took(Math.max(...waiting.map(({ entries }) => entries.length)));
      }
      const [newest] = streams
        .filter((stream) => !isEmpty(stream))
        .sort(({ entries: [one] }, { entries: [other] }) => (String(one?.at) < String(other?.at) ? 1 : -1));
      const entry = newest?.entries.shift();
      if (newest && entry) {
        newest.last = { at: entry.at, event_id: entry.event_id };
        at = entry.at;
      }
      return entry;
    },

    /** Whether there may be more. */
    hasMore: (): boolean => streams.some((stream) => !isEmpty(stream) || !stream.isDone),

    /** Where the next page begins. */
    position: (): MergedPosition | undefined => {
      const last = streams.flatMap((one) => (one.last ? [[one.type, one.last] as const] : []));
      return at === undefined ? undefined : { at, last: Object.fromEntries(last) };
    },
  };
}
