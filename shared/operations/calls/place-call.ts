import type { OutboundRefusal, OutboundRequest } from '../../domain/calls/placing/outbound-request.ts';
import { callIdFor } from '../../domain/ids.ts';
import { readAuthorization } from '../../domain/organizations/api-key.ts';
import type { Organization } from '../../domain/organizations/organization.ts';
import { keyRequest, type RequestAddresses } from '../../domain/organizations/requester.ts';
import type { AssistantStore } from '../../stores/organizations/assistants.ts';
import type { DoNotCallStore } from '../../stores/organizations/do-not-call.ts';
import { type Admission, type AdmitRequestDeps, admitRequest } from '../organizations/steps/admit-request.ts';
import { type OutboundPlacing, type PlaceOutboundCallDeps, placeOutboundCall } from './steps/place-outbound-call.ts';

export type PlaceCallDeps = AdmitRequestDeps<Organization> &
  PlaceOutboundCallDeps & {
    assistants: Pick<AssistantStore, 'getRecent'>;
    doNotCall: Pick<DoNotCallStore, 'hasEither'>;
  };

/** The reason for refusing a body. */
export type BodyRefusal = {
  ok: false;
  error: OutboundRefusal['error'] | 'payload_too_large' | 'unsupported_media_type';
  message: string;
};

export type PlacingRequest = {
  requestId: string;
  authorization: string | undefined;
  from: RequestAddresses;
  /**
   * Parsed before the key is checked, so that both need one round trip of lookups. A refusal is returned only for an
   * admitted key.
   */
  body: { ok: true; request: OutboundRequest } | BodyRefusal;
};

export type Placing =
  | Exclude<Admission, { kind: 'admitted' }>
  | ({ rate: Extract<Admission, { kind: 'admitted' }>['rate'] } & (
      | OutboundPlacing
      | { kind: 'invalid_body'; refusal: Omit<BodyRefusal, 'ok'> }
    ));

/**
 * Places an outbound call: one round trip of reads, then one transaction with call and credit, which triggers
 * everything else (docs/call-lifecycle.md, "Placing by REST").
 * @throws TransactionContention if too many calls of the organization are placed at once.
 */
export async function placeCall(
  deps: PlaceCallDeps,
  { requestId, authorization, from, body: read }: PlacingRequest,
): Promise<Placing> {
  const admitting = admitRequest(deps, authorization, { permission: 'calls:write', costs: 'outbound' });
  const body = read.ok ? read.request : undefined;
  const presented = readAuthorization(authorization);
  const orgId = presented.kind === 'key' ? presented.key.orgId : undefined;
  const [admission, assistant, isOnDoNotCallList] = await Promise.all([
    admitting,
    body && orgId && deps.assistants.getRecent(body.assistant_id),
    // The dial reads the list again, consistently, before the phone rings.
    body && orgId && deps.doNotCall.hasEither(orgId, body.phone_number, { mayBeOld: true }),
  ]);
  if (admission.kind !== 'admitted') return admission;
  const { org, key, rate } = admission;
  if (!read.ok) return { kind: 'invalid_body', refusal: { error: read.error, message: read.message }, rate };
  const { request } = read;
  const placing = await placeOutboundCall(
    deps,
    { org, assistant: assistant || undefined, isOnDoNotCallList: isOnDoNotCallList === true },
    {
      call_id: callIdFor(org.org_id, request.idempotency_key),
      request_id: requestId,
      phone_number: request.phone_number,
      ...(request.idempotency_key !== undefined && { idempotency_key: request.idempotency_key }),
      ...(request.callback_url !== undefined && { callback_url: request.callback_url, callback_status: 'pending' }),
      request_metadata: request.metadata,
      placed_by: keyRequest(key, from),
    },
  );
  return { ...placing, rate };
}
