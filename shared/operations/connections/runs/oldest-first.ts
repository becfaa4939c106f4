import type { ConnectionStore } from '../../../stores/connections/connections.ts';

const READS_AT_ONCE = 20;

/**
 * Orders connections by their last visit, unvisited ones first. Reads each connection once. A connection that cannot be
 * read also comes first: its own visit fails and reports why.
 */
export async function oldestFirst(
  connections: Pick<ConnectionStore, 'get'>,
  ids: readonly string[],
): Promise<string[]> {
  const visited = new Map<string, string>();
  for (let start = 0; start < ids.length; start += READS_AT_ONCE) {
    const page = ids.slice(start, start + READS_AT_ONCE);
    const read = await Promise.all(page.map((id) => connections.get(id).catch(() => undefined)));
    for (const [index, id] of page.entries()) visited.set(id, read[index]?.channel_visited_at ?? '');
  }
  return [...visited].sort(([, one], [, other]) => (one < other ? -1 : Number(one > other))).map(([id]) => id);
}
