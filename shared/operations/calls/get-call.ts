import type { ViewedCall } from '../../domain/calls/parts/viewed-call.ts';
import { isKept } from '../../domain/calls/retention/kept-files.ts';
import { readAuthorization } from '../../domain/organizations/api-key.ts';
import type { Permission } from '../../domain/organizations/permission.ts';
import type { CostlyKind } from '../../domain/organizations/rate-limit.ts';
import { type Admission, type AdmitRequestDeps, admitRequest } from '../organizations/steps/admit-request.ts';

/** `get`: reads what is shown of the call, or the whole call for work on it. */
export type GetCallDeps<Read extends ViewedCall> = AdmitRequestDeps & {
  calls: { get: (callId: string) => Promise<Read | undefined> };
};

export type Reading<Read extends ViewedCall> =
  | Exclude<Admission, { kind: 'admitted' }>
  | ({ rate: Extract<Admission, { kind: 'admitted' }>['rate'] } & (
      | { kind: 'found'; call: Read }
      | { kind: 'call_not_found' }
    ));

/**
 * Reads a call in one round trip. A call of another organization is reported as not found, so that an id reveals
 * nothing.
 */
export async function getCall<Read extends ViewedCall>(
  deps: GetCallDeps<Read>,
  authorization: string | undefined,
  callId: string,
  route: { permission?: Permission; costs?: CostlyKind } = { permission: 'calls:read' },
): Promise<Reading<Read>> {
  const [admission, call] = await Promise.all([
    admitRequest(deps, authorization, route),
    // A malformed key is refused without a read.
    readAuthorization(authorization).kind === 'key' ? deps.calls.get(callId) : undefined,
  ]);
  if (admission.kind !== 'admitted') return admission;
  const { org, rate } = admission;
  return call?.org_id === org.org_id && isKept(call, deps.now())
    ? { kind: 'found', call, rate }
    : { kind: 'call_not_found', rate };
}
