import { type Call, holdsCredit } from '../../../domain/calls/call.ts';
import { releaseEntry } from '../../../domain/organizations/ledger-entry.ts';
import type { CallWork } from '../../../messages/call-work.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { UsageStore } from '../../../stores/calls/usage.ts';
import type { Transact, TransactionResult, Write } from '../../../stores/dynamodb/transaction.ts';
import type { CreditLedger } from '../../../stores/organizations/credit-ledger.ts';
import type { OrganizationStore } from '../../../stores/organizations/organizations.ts';
import type { QueueSender } from '../../../stores/queue.ts';
import type { DayClaimWrite } from '../../calls/dialing/move-day-claims.ts';
import { changingSpend } from '../../calls/dialing/spending.ts';

export type ChangeTermsDeps = {
  calls: Pick<CallStore, 'changingTerms'>;
  organizations: Pick<OrganizationStore, 'settling'>;
  ledger: Pick<CreditLedger, 'adding'>;
  usage: Pick<UsageStore, 'committing'>;
  dialQueue: Pick<QueueSender<CallWork>, 'send'>;
  transact: Transact;
  now: () => Date;
};

/**
 * Gives a waiting call another phone or another assistant, and restarts its dial. A hold of other terms is released;
 * the dial claim takes a new one.
 * @param claims the writes that move the call's day claims
 */
export async function changeTerms(
  deps: ChangeTermsDeps,
  call: Call,
  set: Parameters<CallStore['changingTerms']>[1],
  claims: Partial<Record<DayClaimWrite, Write | undefined>> = {},
): Promise<TransactionResult<'call' | DayClaimWrite>> {
  const { rate, max_duration_seconds } = { ...call, ...set };
  const areOther = rate !== call.rate || max_duration_seconds !== call.max_duration_seconds;
  const isReleased = areOther && holdsCredit(call);
  const released = isReleased ? { held: 0, holds: call.holds ?? 1 } : {};
  const result = await deps.transact<string>({
    call: deps.calls.changingTerms(call, { ...set, ...released }, isReleased ? ['spend'] : []),
    ...(isReleased && {
      ...changingSpend(deps, call, -call.held),
      credit: deps.organizations.settling(call.org_id, { held: call.held, cost: 0 }),
      ledger: deps.ledger.adding(releaseEntry(call, call.held, deps.now().toISOString())),
    }),
    ...claims,
  });
  if (result.committed) await deps.dialQueue.send({ call_id: call.call_id });
  return result;
}
