import type { Call } from '../../domain/calls/call.ts';
import { queuedCall } from '../../domain/calls/new-call.ts';
import type { OutboundRefusal, OutboundRequest } from '../../domain/calls/outbound-request.ts';
import { callIdFor } from '../../domain/ids.ts';
import { readAuthorization } from '../../domain/organizations/api-key.ts';
import { holdEntry } from '../../domain/organizations/ledger-entry.ts';
import type { CallStore } from '../../stores/calls/calls.ts';
import type { Transact } from '../../stores/dynamodb/transaction.ts';
import type { AssistantStore } from '../../stores/organizations/assistants.ts';
import type { CreditLedger } from '../../stores/organizations/credit-ledger.ts';
import type { DoNotCallStore } from '../../stores/organizations/do-not-call.ts';
import type { OrganizationStore } from '../../stores/organizations/organizations.ts';
import { type Admission, type AdmitRequestDeps, admitRequest } from '../organizations/steps/admit-request.ts';

export type PlaceCallDeps = AdmitRequestDeps & {
  assistants: Pick<AssistantStore, 'get'>;
  calls: Pick<CallStore, 'get' | 'creation' | 'parse'>;
  doNotCall: Pick<DoNotCallStore, 'has'>;
  organizations: Pick<OrganizationStore, 'get' | 'holding' | 'parse'>;
  ledger: Pick<CreditLedger, 'adding'>;
  transact: Transact;
};

/** Why a body was refused. */
export type BodyRefusal = {
  ok: false;
  error: OutboundRefusal['error'] | 'payload_too_large' | 'unsupported_media_type';
  message: string;
};

export type PlacingRequest = {
  requestId: string;
  authorization: string | undefined;
  /** Parsed in advance, so that its lookups run together with those of the key. It is validated after them. */
  body: { ok: true; request: OutboundRequest } | BodyRefusal;
};

export type Placing =
  | Exclude<Admission, { kind: 'admitted' }>
  | ({ rate: Extract<Admission, { kind: 'admitted' }>['rate'] } & (
      | { kind: 'placed'; call: Call }
      | { kind: 'replayed'; call: Call }
      | { kind: 'invalid_body'; refusal: Omit<BodyRefusal, 'ok'> }
      | { kind: 'assistant_not_found' }
      | { kind: 'assistant_wrong_org' }
      | { kind: 'do_not_call' }
      | { kind: 'org_suspended' }
      /** In units. */
      | { kind: 'insufficient_credits'; required: number; available: number }
    ));

/**
 * Places an outbound call: one round trip of reads, then one transaction with call, credit and ledger entry, which
 * starts everything else (docs/call-lifecycle.md, "Placing by REST").
 * @throws TransactionContention if too many calls of the organization are placed at once.
 */
export async function placeCall(
  deps: PlaceCallDeps,
  { requestId, authorization, body: read }: PlacingRequest,
): Promise<Placing> {
  const admitting = admitRequest(deps, authorization, { permission: 'calls:write', isOutbound: true });
  const body = read.ok ? read.request : undefined;
  const presented = readAuthorization(authorization);
  const orgId = presented.kind === 'key' ? presented.key.orgId : undefined;
  const [admission, assistant, earlier, isOnDoNotCallList] = await Promise.all([
    admitting,
    body && orgId && deps.assistants.get(body.assistant_id),
    body?.idempotency_key && orgId ? deps.calls.get(callIdFor(orgId, body.idempotency_key)) : undefined,
    body && orgId && deps.doNotCall.has(orgId, body.phone_number),
  ]);
  if (admission.kind !== 'admitted') return admission;
  const { org, rate } = admission;
  if (!read.ok) return { kind: 'invalid_body', refusal: { error: read.error, message: read.message }, rate };
  const { request } = read;
  if (!assistant) return { kind: 'assistant_not_found', rate };
  if (assistant.org_id !== org.org_id) return { kind: 'assistant_wrong_org', rate };
  if (earlier) return { kind: 'replayed', call: earlier, rate };
  if (isOnDoNotCallList) return { kind: 'do_not_call', rate };
  if (org.suspended_at) return { kind: 'org_suspended', rate };

  const call = queuedCall(
    {
      call_id: callIdFor(org.org_id, request.idempotency_key),
      request_id: requestId,
      phone_number: request.phone_number,
      ...(request.idempotency_key !== undefined && { idempotency_key: request.idempotency_key }),
      ...(request.callback_url !== undefined && { callback_url: request.callback_url, callback_status: 'pending' }),
      request_metadata: request.metadata,
    },
    org,
    assistant,
    deps.now(),
  );
  const result = await deps.transact(
    {
      call: deps.calls.creation(call),
      credit: deps.organizations.holding(org.org_id, call.held),
      ledger: deps.ledger.adding(holdEntry(call, call.held, call.created_at)),
    },
    // An existing call takes precedence over a lack of credit, because a replay needs no credit.
    { decidedBy: ['call'] },
  );
  if (result.committed) return { kind: 'placed', call, rate };

  if (result.refused.call?.item) {
    const existing = deps.calls.parse(result.refused.call.item);
    // An equal request id means that an earlier try of this transaction was committed: no replay.
    return { kind: existing.request_id === requestId ? 'placed' : 'replayed', call: existing, rate };
  }
  const available = result.refused.credit?.item ? deps.organizations.parse(result.refused.credit.item).available : 0;
  return { kind: 'insufficient_credits', required: call.held, available, rate };
}
