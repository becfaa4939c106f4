import { AccessUnavailable, ReconnectNeeded } from '../../domain/connections/access-errors.ts';
import { type CrmBAccess, type CrmBApi, type CrmBRequest, expiredTokenCodes } from './api.ts';

export type CrmBReading =
  /** The body of a 204 (nothing found) is undefined. */
  | { kind: 'answered'; body: unknown }
  /** A permanent refusal, with the vendor's code, until a person fixes the CRM, the connection or the request. */
  | { kind: 'refused'; reason: string }
  /** A repeat may succeed. */
  | { kind: 'unavailable'; reason: string };

/** Sends a request that changes nothing at CRM-B, so that the caller may repeat it at will. */
export async function readFrom(api: CrmBApi, access: CrmBAccess, request: CrmBRequest): Promise<CrmBReading> {
  try {
    const answer = await api(access, request);
    if (answer.kind === 'answered') return { kind: 'answered', body: answer.body };
    // Even a fresh token was refused. The next one may be accepted.
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
