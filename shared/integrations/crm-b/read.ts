import { type CrmBAccess, type CrmBApi, type CrmBRequest, isTokenExpired } from './api.ts';

export type CrmBReading =
  /** The body of a 204 (nothing found) is undefined. */
  | { kind: 'answered'; body: unknown }
  /**
   * A permanent refusal, with the vendor's code, until a person fixes the CRM, the connection or the request.
   * `needsConsent`: the grant is gone, and no request was sent.
   */
  | { kind: 'refused'; reason: string; needsConsent?: true }
  /** A repeat may succeed, after the wait that CRM-B demands. */
  | { kind: 'unavailable'; reason: string; retryAfterSeconds?: number };

/** Sends a request that changes nothing at CRM-B, so that the caller may repeat it at will. */
export async function readFrom(api: CrmBApi, access: CrmBAccess, request: CrmBRequest): Promise<CrmBReading> {
  const answer = await api(access, request);
  switch (answer.kind) {
    case 'answered':
      return { kind: 'answered', body: answer.body };
    case 'refused':
      // Even a fresh token was refused. The next one may be accepted.
      if (isTokenExpired(answer.code)) return { kind: 'unavailable', reason: answer.code };
      return { kind: 'refused', reason: answer.code ?? `status ${answer.status}` };
    case 'reconnect_needed':
      return { kind: 'refused', reason: answer.reason, needsConsent: true };
    case 'unavailable':
    case 'unknown':
      return { ...answer, kind: 'unavailable' };
  }
}
