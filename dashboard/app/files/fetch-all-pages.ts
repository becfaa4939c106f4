import { retryDelay, shouldRetry } from '../api/api-error.ts';
import { MAX_ROWS } from './max-rows.ts';

type Page<Item> = { items: readonly Item[]; next: string | null };

/**
 * Reads a whole list, page by page, for a file. A failed page is retried like any other read, because one failure among
 * hundreds would lose the file.
 * @param signal ends the reading before its next request, also before a retry
 * @throws the signal's reason if it was aborted
 */
export async function fetchAllPages<Item>(
  load: (next: string | undefined) => Promise<Page<Item>>,
  signal: AbortSignal,
  onProgress: (rows: number) => void,
  wait: (milliseconds: number) => Promise<unknown> = sleep,
): Promise<{ rows: Item[]; isCut: boolean }> {
  const rows: Item[] = [];
  let next: string | undefined;
  do {
    const page = await loadWithRetries(() => load(next), signal, wait);
    rows.push(...page.items);
    onProgress(rows.length);
    next = page.next ?? undefined;
  } while (next !== undefined && rows.length < MAX_ROWS);
  return { rows: rows.slice(0, MAX_ROWS), isCut: next !== undefined || rows.length > MAX_ROWS };
}

async function loadWithRetries<Loaded>(
  load: () => Promise<Loaded>,
  signal: AbortSignal,
  wait: (milliseconds: number) => Promise<unknown>,
): Promise<Loaded> {
  for (let count = 0; ; count += 1) {
    signal.throwIfAborted();
    try {
      return await load();
    } catch (error) {
      if (!shouldRetry(count, error)) throw error;
      await wait(retryDelay(count));
    }
  }
}

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
