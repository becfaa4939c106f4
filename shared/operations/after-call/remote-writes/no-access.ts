import type { Unavailable } from '../../../domain/after-call/write-outcome.ts';
import { AccessUnavailable, ReconnectNeeded } from '../../../domain/connections/access-errors.ts';

/** @returns the result of the request; `unavailable` if it had no access token, so that nothing was written. */
export async function orNoAccess<Result>(request: () => Promise<Result>): Promise<Result | Unavailable> {
  try {
    return await request();
  } catch (error) {
    if (error instanceof ReconnectNeeded) return { kind: 'unavailable', reason: error.message, needsPerson: true };
    if (error instanceof AccessUnavailable) return { kind: 'unavailable', reason: error.message };
    throw error;
  }
}
