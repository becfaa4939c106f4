import { AccessUnavailable, ReconnectNeeded } from '../../domain/connections/access-errors.ts';
import { type CrmBAccess, type CrmBApi, type CrmBRequest, expiredTokenCodes } from './api.ts';

export type CrmBReading =
  /** An empty body (204: nothing found) is undefined. */
  | { kind: 'answered'; body: unknown }
  /** For good, until somebody mends something at the CRM, in the connection or in the request; in the vendor's words. */
  | { kind: 'refused'; reason: string }
  /** A repeat may succeed. */
  | { kind: 'unavailable'; reason: string };

/** Asks CRM-B something that changes nothing there: where no answer came, it may be asked again at will. */
export async function readFrom(api: CrmBApi, access: CrmBAccess, request: CrmBRequest): Promise<CrmBReading> {
  try {
    const answer = await api(access, request);
    if (answer.kind === 'answered') return { kind: 'answered', body: answer.body };
    // Even a fresh token: the next one may be taken.
    if (answer.kind === 'refused' && expiredTokenCodes.has(answer.code))
      return { kind: 'unavailable', reason: answer.code };
    if (answer.kind === 'refused') return { kind: 'refused', reason: answer.code || `status ${answer.status}` };
    return { kind: 'unavailable', reason: answer.reason };
  } catch (error) {
    if (error instanceof ReconnectNeeded) return { kind: 'refused', reason: error.message };
    if (error instanceof AccessUnavailable) return { kind: 'unavailable', reason: error.message };
    throw error;
  }
}
