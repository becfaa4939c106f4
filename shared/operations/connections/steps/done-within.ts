export type Sleep = (milliseconds: number, signal?: AbortSignal) => Promise<unknown>;

/**
 * Returns whether the work succeeded in time. The wait ends with the work, because an operator's command ends when no
 * timer is left.
 */
export async function isDoneWithin(milliseconds: number, work: Promise<boolean>, sleep: Sleep): Promise<boolean> {
  const isOver = new AbortController();
  const isLate = sleep(milliseconds, isOver.signal).then(() => false);
  try {
    return await Promise.race([work.catch(() => false), isLate]);
  } finally {
    isOver.abort();
  }
}
