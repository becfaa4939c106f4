import type { ActivityStore, EntryPosition, ShownEntry } from '../../../stores/connections/activity.ts';

export type MergedActivityDeps = { activity: Pick<ActivityStore, 'page'> };

/** A connection's entries in a list that merges several: its type names it, so that a position tells no id. */
export type ListedConnection = { connection_id: string; type: string };

/** How far a merged list has been read: the last entry of each connection, and the time of the last one of all. */
export type MergedPosition = { at: string; last: Readonly<Record<string, EntryPosition>> };

type Stream = { type: string; entries: ShownEntry[]; last?: EntryPosition; isDone: boolean; read: () => Promise<void> };

/**
 * Reads the entries of several connections as one list, newest first, each from where the page before ended.
 * @param options.range ISO 8601, both inclusive. @param options.atOnce entries of one read. @param options.mostReads
 * reads of one connection
 */
export function mergedActivity(
  { activity }: MergedActivityDeps,
  connections: readonly ListedConnection[],
  options: {
    range: { from?: string; to?: string };
    before: MergedPosition | undefined;
    atOnce: number;
    mostReads: number;
  },
) {
  const { range, before, atOnce, mostReads } = options;
  const { from = '0', to = '9999' } = range;
  let at = before?.at;
  let reads = 0;

  const streams = connections.map(({ connection_id, type }): Stream => {
    const given = before?.last[type];
    // DynamoDB refuses a start outside of the times it is asked for.
    const start = given && given.at <= to ? given : undefined;
    // A connection that has shown nothing yet goes on below what was shown of the others.
    const until = !given && at !== undefined && at < to ? at : to;
    const stream: Stream = {
      type,
      entries: [],
      isDone: from > until || (given !== undefined && given.at < from),
      read: async () => {
        const position = stream.last;
        const page = await activity.page(connection_id, {
          from,
          to: until,
          limit: atOnce,
          ...(position && { before: position }),
        });
        stream.entries = page.items;
        stream.isDone = !page.last;
      },
      ...(start && { last: start }),
    };
    return stream;
  });
  const isEmpty = ({ entries }: Stream) => entries.length === 0;

  return {
    /** Takes the next entry. @returns undefined at the end, or where enough was read. */
    async next(): Promise<ShownEntry | undefined> {
      for (;;) {
        const waiting = streams.filter((stream) => isEmpty(stream) && !stream.isDone);
        if (waiting.length === 0) break;
        if (reads === mostReads) return undefined;
        reads += 1;
        await Promise.all(waiting.map(({ read }) => read()));
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
