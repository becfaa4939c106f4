import type { Call } from '../../../domain/calls/call.ts';
import { isErased } from '../../../domain/calls/erased-call.ts';
import { type PlacedCall, queuedCall } from '../../../domain/calls/new-call.ts';
import type { Assistant } from '../../../domain/organizations/assistant.ts';
import { type DestinationRefusal, whyNotAllowed } from '../../../domain/organizations/destination-rule.ts';
import { holdEntry } from '../../../domain/organizations/ledger-entry.ts';
import type { Organization } from '../../../domain/organizations/organization.ts';
import type { Retention } from '../../../domain/organizations/retention.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { Transact, Write } from '../../../stores/dynamodb/transaction.ts';
import type { CreditLedger } from '../../../stores/organizations/credit-ledger.ts';
import type { OrganizationStore } from '../../../stores/organizations/organizations.ts';

export type PlaceOutboundCallDeps = {
  calls: Pick<CallStore, 'creation' | 'parse'>;
  organizations: Pick<OrganizationStore, 'holding' | 'parse'>;
  ledger: Pick<CreditLedger, 'adding'>;
  transact: Transact;
  /** The stage's defaults of how long things are kept. */
  retention: Retention;
  /** Adds the id to the further log lines of the request. */
  correlate: (ids: { call_id: string }) => void;
  now: () => Date;
};

export type OutboundFacts = {
  org: Organization;
  /** The assistant of the request, whichever organization it belongs to. */
  assistant: Assistant | undefined;
  /** The call that was placed with the same idempotency key. */
  earlier: Call | undefined;
  isOnDoNotCallList: boolean;
};

export type OutboundPlacing =
  | { kind: 'placed'; call: Call }
  | { kind: 'replayed'; call: Call }
  | { kind: 'assistant_not_found' }
  | { kind: 'assistant_wrong_org' }
  | { kind: 'do_not_call' }
  | ({ kind: 'destination_not_allowed' } & DestinationRefusal)
  | { kind: 'org_suspended' }
  /** The call of the same idempotency key was erased: the key never rings again. */
  | { kind: 'call_erased' }
  /** In units. */
  | { kind: 'insufficient_credits'; required: number; available: number };

/**
 * Decides about a call that a client or a member requests, and places it in one transaction with credit and ledger
 * entry, which starts everything else (docs/call-lifecycle.md, "Placing by REST").
 * @param auditing the audit entry that belongs to the call. @throws TransactionContention if too many calls of the
 * organization are placed at once.
 */
export async function placeOutboundCall(
  deps: PlaceOutboundCallDeps,
  { org, assistant, earlier, isOnDoNotCallList }: OutboundFacts,
  placed: PlacedCall,
  auditing?: (call: Call) => Write,
): Promise<OutboundPlacing> {
  if (!assistant) return { kind: 'assistant_not_found' };
  if (assistant.org_id !== org.org_id) return { kind: 'assistant_wrong_org' };
  if (earlier) {
    deps.correlate({ call_id: earlier.call_id });
    return { kind: 'replayed', call: earlier };
  }
  if (isOnDoNotCallList) return { kind: 'do_not_call' };
  const barred = whyNotAllowed(org, placed.phone_number);
  if (barred) return { kind: 'destination_not_allowed', ...barred };
  if (org.suspended_at) return { kind: 'org_suspended' };

  const call = queuedCall(placed, { ...org, retention: deps.retention }, assistant, deps.now());
  deps.correlate({ call_id: call.call_id });
  const result = await deps.transact(
    {
      call: deps.calls.creation(call),
      credit: deps.organizations.holding(org.org_id, call.held),
      ledger: deps.ledger.adding(holdEntry(call, call.held, call.created_at)),
      audit: auditing?.(call),
    },
    // An existing call takes precedence over a lack of credit, because a replay needs no credit.
    { decidedBy: ['call'] },
  );
  if (result.committed) return { kind: 'placed', call };

  if (result.refused.call?.item && isErased(result.refused.call.item)) return { kind: 'call_erased' };
  if (result.refused.call?.item) {
    const existing = deps.calls.parse(result.refused.call.item);
    // An equal request id means that an earlier try of this transaction was committed: no replay.
    return { kind: existing.request_id === placed.request_id ? 'placed' : 'replayed', call: existing };
  }
  const available = result.refused.credit?.item ? deps.organizations.parse(result.refused.credit.item).available : 0;
  return { kind: 'insufficient_credits', required: call.held, available };
}
