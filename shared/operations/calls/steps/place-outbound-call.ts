import type { Call } from '../../../domain/calls/call.ts';
import { type PlacedCall, queuedCall } from '../../../domain/calls/placing/new-call.ts';
import { isErased } from '../../../domain/calls/retention/erased-item.ts';
import { isKept } from '../../../domain/calls/retention/kept-files.ts';
import { TransactionContention } from '../../../domain/contention.ts';
import type { Shown } from '../../../domain/newer-values.ts';
import type { Assistant } from '../../../domain/organizations/assistants/assistant.ts';
import { type DestinationRefusal, whyNotAllowed } from '../../../domain/organizations/destination-rule.ts';
import type { Organization } from '../../../domain/organizations/organization.ts';
import type { Retention } from '../../../domain/organizations/retention.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { Transact, Write } from '../../../stores/dynamodb/transaction.ts';
import type { OrganizationStore } from '../../../stores/organizations/organizations.ts';

export type PlaceOutboundCallDeps = {
  calls: Pick<CallStore, 'creation' | 'getToShowOrErased' | 'parseToShow'>;
  organizations: Pick<OrganizationStore, 'holdingUnentered' | 'parse'>;
  transact: Transact;
  /** The stage's default retention. */
  retention: Retention;
  /** Adds the id to the request's later log lines. */
  correlate: (ids: { call_id: string }) => void;
  now: () => Date;
};

export type OutboundFacts = {
  org: Organization;
  /** The requested assistant, of any organization. */
  assistant: Assistant | undefined;
  isOnDoNotCallList: boolean;
};

export type OutboundPlacing =
  | { kind: 'placed'; call: Shown<Call> }
  | { kind: 'replayed'; call: Shown<Call> }
  | { kind: 'assistant_not_found' }
  | { kind: 'assistant_wrong_org' }
  | { kind: 'do_not_call' }
  | ({ kind: 'destination_not_allowed' } & DestinationRefusal)
  | { kind: 'org_suspended' }
  /** The call with this idempotency key was erased, or its retention has passed: the key never places a call again. */
  | { kind: 'call_erased' }
  /** In units. */
  | { kind: 'insufficient_credits'; required: number; available: number };

/**
 * Decides about a call that a client or a member requests, and places it in one transaction with its credit, which
 * triggers everything else (docs/call-lifecycle.md, "Placing by REST"). The call's end adds the ledger entry of the
 * hold. The transaction or, before a refusal, a read finds an earlier call with the same idempotency key; that call's
 * answer is then repeated.
 * @param auditEntryFor the audit entry that belongs to the call.
 * @throws TransactionContention if too many calls of the organization are placed at once.
 */
export async function placeOutboundCall(
  deps: PlaceOutboundCallDeps,
  facts: OutboundFacts,
  placed: PlacedCall,
  auditEntryFor?: (call: Call) => Write,
): Promise<OutboundPlacing> {
  const { org, assistant } = facts;
  if (!assistant) return (await earlierOf(deps, placed)) ?? { kind: 'assistant_not_found' };
  const refusal = refusalOf(facts, assistant, placed);
  if (refusal) return (await earlierOf(deps, placed)) ?? refusal;

  const terms = { ...org, retention: deps.retention };
  const call: Call = { ...queuedCall(placed, terms, assistant, deps.now()), hold_unentered: true };
  deps.correlate({ call_id: call.call_id });
  const writes = {
    call: deps.calls.creation(call),
    credit: deps.organizations.holdingUnentered(org.org_id, call.held),
    audit: auditEntryFor?.(call),
  };
  let result: Awaited<ReturnType<typeof deps.transact<keyof typeof writes>>>;
  try {
    // An existing call takes precedence over a lack of credit, because a replay needs no credit.
    result = await deps.transact(writes, { decidedBy: ['call'] });
  } catch (error) {
    const earlier = error instanceof TransactionContention ? await earlierOf(deps, placed) : undefined;
    if (earlier) return earlier;
    throw error;
  }
  if (result.committed) return { kind: 'placed', call };

  if (result.refused.call?.item && isErased(result.refused.call.item)) return { kind: 'call_erased' };
  if (result.refused.call?.item) return repeated(deps, deps.calls.parseToShow(result.refused.call.item), placed);
  const available = result.refused.credit?.item ? deps.organizations.parse(result.refused.credit.item).available : 0;
  return { kind: 'insufficient_credits', required: call.held, available };
}

function refusalOf(
  { org, isOnDoNotCallList }: OutboundFacts,
  assistant: Assistant,
  placed: PlacedCall,
): OutboundPlacing | undefined {
  if (assistant.org_id !== org.org_id) return { kind: 'assistant_wrong_org' };
  if (isOnDoNotCallList) return { kind: 'do_not_call' };
  const destinationRefusal = whyNotAllowed(org, placed.phone_number);
  if (destinationRefusal) return { kind: 'destination_not_allowed', ...destinationRefusal };
  return org.suspended_at ? { kind: 'org_suspended' } : undefined;
}

/** Returns the answer of an earlier request with the same idempotency key. A random id has no earlier request. */
async function earlierOf(deps: PlaceOutboundCallDeps, placed: PlacedCall): Promise<OutboundPlacing | undefined> {
  if (placed.idempotency_key === undefined && placed.tested_by === undefined) return undefined;
  const earlier = await deps.calls.getToShowOrErased(placed.call_id);
  if (!earlier) return undefined;
  if (earlier === 'erased') return { kind: 'call_erased' };
  deps.correlate({ call_id: earlier.call_id });
  return repeated(deps, earlier, placed);
}

/** Returns the answer for an existing call. It is not a replay if an earlier try of this request placed the call. */
function repeated(
  { now }: Pick<PlaceOutboundCallDeps, 'now'>,
  call: Shown<Call>,
  { request_id }: PlacedCall,
): OutboundPlacing {
  if (!isKept(call, now())) return { kind: 'call_erased' };
  return { kind: call.request_id === request_id ? 'placed' : 'replayed', call };
}
