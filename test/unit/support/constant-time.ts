import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/** Runs code. @returns the byte lengths of each pair that it compared in constant time */
export async function comparedInConstantTime(run: () => unknown): Promise<(readonly [number, number])[]> {
  const compare = jest.spyOn(crypto, 'timingSafeEqual');
  syncBuiltinESMExports();
  try {
    await run();
    return compare.mock.calls.map(([one, other]) => [one.byteLength, other.byteLength]);
  } finally {
    compare.mockRestore();
    syncBuiltinESMExports();
  }
}
