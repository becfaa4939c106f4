import { download } from './download.ts';
import { fetchAllPages } from './fetch-all-pages.ts';

type Export<Item> = { load: Parameters<typeof fetchAllPages<Item>>[0]; file: string; write: (rows: Item[]) => string };

/** Reads a whole list and saves it as a file. @returns the number of rows, and whether there are more */
export async function exportRows<Item>(
  { load, file, write }: Export<Item>,
  signal: AbortSignal,
  onProgress: (rows: number) => void,
): Promise<{ count: number; isCut: boolean }> {
  const { rows, isCut } = await fetchAllPages(load, signal, onProgress);
  download(file, write(rows));
  return { count: rows.length, isCut };
}
