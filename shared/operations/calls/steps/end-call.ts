import { type Call, holdsCredit } from '../../../domain/calls/call.ts';
import { type Ending, isShortOverrun } from '../../../domain/calls/ending.ts';
import { usageOfEnd } from '../../../domain/calls/usage/usage.ts';
import type { Count } from '../../../domain/metric.ts';
import { chargeFor } from '../../../domain/organizations/credit.ts';
import { releaseEntry, settlementEntry, unenteredHold } from '../../../domain/organizations/ledger-entry.ts';
import { istDay } from '../../../domain/time/ist-day.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { SlotStore } from '../../../stores/calls/slots/slots.ts';
import type { UsageStore } from '../../../stores/calls/usage.ts';
import type { Transact, TransactionResult, Write } from '../../../stores/dynamodb/transaction.ts';
import type { CreditLedger } from '../../../stores/organizations/credit-ledger.ts';
import type { OrganizationStore } from '../../../stores/organizations/organizations.ts';
import { changingSpend } from '../dialing/spending.ts';
import { givingBackSlots } from '../slots/giving-back-slots.ts';

export type EndCallDeps = {
  calls: Pick<CallStore, 'ending'>;
  organizations: Pick<OrganizationStore, 'settling'>;
  ledger: Pick<CreditLedger, 'adding' | 'entering'>;
  slots: Pick<SlotStore, 'givingBack'>;
  usage: Pick<UsageStore, 'counting' | 'committing'>;
  transact: Transact;
  now: () => Date;
  count: Count;
};

/**
 * Ends a call and settles its credit in one transaction: status, times, cost, the organization's credit, the ledger
 * entry (and the hold's entry if the ledger lacks it), the slots that the call holds, the spend and the day's usage
 * (docs/call-lifecycle.md, "The platform's reports"). Every end of a call uses this function, so that usage agrees with
 * calls and ledger. Usage counts on the day of the transaction, as the ledger does, even if the platform ended the call
 * before midnight.
 * @param call as read. If it has changed since, nothing is written
 * @param ending.platformId the attempt that the platform reported; absent if the service itself ends the call
 * @param extraWrites additional writes of the transaction
 */
export async function endCall(
  deps: EndCallDeps,
  call: Call,
  ending: Ending & { platformId?: string; transcriptKey?: string; linesKey?: string },
  extraWrites: Record<string, Write> = {},
): Promise<TransactionResult<string>> {
  const { cost, beyondHold } = chargeFor(call, ending.duration);
  const at = deps.now();
  const now = at.toISOString();
  const usageDay = istDay(at);
  const entry = ending.platformId
    ? settlementEntry(call, { held: call.held, cost }, now)
    : releaseEntry(call, call.held, now);
  const isHolding = holdsCredit(call);
  const hold = unenteredHold(call);
  const result = await deps.transact<string>({
    call: deps.calls.ending(call, { ...ending, cost, beyondHold }, { now, usageDay }),
    credit: isHolding
      ? deps.organizations.settling(call.org_id, { held: call.held, cost, entersHold: hold !== undefined })
      : undefined,
    hold: hold && deps.ledger.entering(hold),
    ledger: isHolding ? deps.ledger.adding(entry) : undefined,
    ...changingSpend(deps, call, cost - call.held),
    ...givingBackSlots(deps.slots, call),
    usage: deps.usage.counting(call, usageDay, usageOfEnd({ ...ending, cost })),
    ...extraWrites,
  });
  if (result.committed && beyondHold > 0 && !isShortOverrun(call, ending)) deps.count('UnitsBeyondHold', beyondHold);
  return result;
}
