import { type Call, holdsCredit } from '../../../domain/calls/call.ts';
import type { Ending } from '../../../domain/calls/ending.ts';
import type { Count } from '../../../domain/metric.ts';
import { chargeFor } from '../../../domain/organizations/credit.ts';
import { releaseEntry, settlementEntry } from '../../../domain/organizations/ledger-entry.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { SlotStore } from '../../../stores/calls/slots.ts';
import type { Transact, TransactionResult, Write } from '../../../stores/dynamodb/transaction.ts';
import type { CreditLedger } from '../../../stores/organizations/credit-ledger.ts';
import type { OrganizationStore } from '../../../stores/organizations/organizations.ts';
import { givingBackSlots } from './slots.ts';

export type EndCallDeps = {
  calls: Pick<CallStore, 'ending'>;
  organizations: Pick<OrganizationStore, 'settling'>;
  ledger: Pick<CreditLedger, 'adding'>;
  slots: Pick<SlotStore, 'givingBack'>;
  transact: Transact;
  now: () => Date;
  count: Count;
};

/**
 * Ends a call and settles its credit in one transaction: status, times, cost, the organization's credit, the ledger
 * entry and the slots of its dial claim (docs/call-lifecycle.md, "What the platform reports").
 * @param call as it was read. Where it has changed since, nothing is written.
 * @param ending.platformId the attempt that the platform reported; absent where the service itself ends the call.
 * @param together further writes of the transaction.
 */
export async function endCall(
  deps: EndCallDeps,
  call: Call,
  ending: Ending & { platformId?: string; transcriptKey?: string },
  together: Record<string, Write> = {},
): Promise<TransactionResult<string>> {
  const { cost, beyondHold } = chargeFor(call, ending.duration);
  const now = deps.now().toISOString();
  const entry = ending.platformId
    ? settlementEntry(call, { held: call.held, cost }, now)
    : releaseEntry(call, call.held, now);
  const isHolding = holdsCredit(call);
  const result = await deps.transact<string>({
    call: deps.calls.ending(call, { ...ending, cost, beyondHold }, now),
    credit: isHolding ? deps.organizations.settling(call.org_id, { held: call.held, cost }) : undefined,
    ledger: isHolding ? deps.ledger.adding(entry) : undefined,
    ...givingBackSlots(deps.slots, call),
    ...together,
  });
  if (result.committed && beyondHold > 0) deps.count('UnitsBeyondHold', beyondHold);
  return result;
}
