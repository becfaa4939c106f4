/** @returns the milliseconds that the work took, and its result */
export async function timed<T>(work: () => Promise<T>): Promise<[milliseconds: number, result: T]> {
  const started = performance.now();
  const result = await work();
  return [performance.now() - started, result];
}
