export const MAX_ROWS = 50_000;

type Page<Item> = { items: readonly Item[]; next: string | null };

/**
 * Reads a whole list, page by page, for a file.
 * @param signal aborts between pages and within one
 * @throws the signal's reason if it was aborted
 */
export async function fetchAllPages<Item>(
  load: (next: string | undefined) => Promise<Page<Item>>,
  signal: AbortSignal,
  onProgress: (rows: number) => void,
): Promise<{ rows: Item[]; isCut: boolean }> {
  const rows: Item[] = [];
  let next: string | undefined;
  do {
    signal.throwIfAborted();
    const page = await load(next);
    rows.push(...page.items);
    onProgress(rows.length);
    next = page.next ?? undefined;
  } while (next !== undefined && rows.length < MAX_ROWS);
  return { rows: rows.slice(0, MAX_ROWS), isCut: next !== undefined || rows.length > MAX_ROWS };
}
