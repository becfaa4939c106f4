export const MOST_ROWS = 50_000;

type Page<Item> = { items: readonly Item[]; next: string | null };

/**
 * Reads a whole list, page by page, for a file.
 * @param stopped aborts between pages and within one
 * @throws the signal's reason if it was aborted
 */
export async function collect<Item>(
  load: (next: string | undefined) => Promise<Page<Item>>,
  stopped: AbortSignal,
  progress: (rows: number) => void,
): Promise<{ rows: Item[]; isCut: boolean }> {
  const rows: Item[] = [];
  let next: string | undefined;
  do {
    stopped.throwIfAborted();
    const page = await load(next);
    rows.push(...page.items);
    progress(rows.length);
    next = page.next ?? undefined;
  } while (next !== undefined && rows.length < MOST_ROWS);
  return { rows: rows.slice(0, MOST_ROWS), isCut: next !== undefined || rows.length > MOST_ROWS };
}
