import { type Call, holdsCredit } from '../../../domain/calls/call.ts';
import { decideAfterRefusal, type RefusalStep } from '../../../domain/calls/dialing/dial-decision.ts';
import { TransactionContention } from '../../../domain/contention.ts';
import { holdFor } from '../../../domain/organizations/credit.ts';
import { whyNotAllowed } from '../../../domain/organizations/destination-rule.ts';
import { holdEntry } from '../../../domain/organizations/ledger-entry.ts';
import type { Organization } from '../../../domain/organizations/organization.ts';
import { destinationOf } from '../../../domain/text/destination.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { ClaimStore } from '../../../stores/calls/claims.ts';
import type { Transact } from '../../../stores/dynamodb/transaction.ts';
import type { CreditLedger } from '../../../stores/organizations/credit-ledger.ts';
import type { OrganizationStore } from '../../../stores/organizations/organizations.ts';
import {
  checkErasedClaims,
  checkingErasedClaims,
  type ErasedClaimCheck,
  type ErasedClaimsDeps,
} from './erased-claims.ts';
import { alreadyCalled, type DayClaimWrite, movingDayClaims, takingDayClaims } from './move-day-claims.ts';
import { countingSpend, refusedSpend, type SpendingDeps, type SpendWrite } from './spending.ts';

export type ClaimDialDeps = SpendingDeps &
  ErasedClaimsDeps & {
    calls: Pick<CallStore, 'claim'>;
    claims: Pick<ClaimStore, 'taking' | 'freeing' | 'requiringFree'>;
    organizations: Pick<OrganizationStore, 'holding' | 'mayCall' | 'parse'>;
    ledger: Pick<CreditLedger, 'adding'>;
    transact: Transact;
    now: () => Date;
  };

/** An organization that may call no country. */
const NOWHERE = { default_region: '', countries: [] };

export type ReservedCall = Call & { reserved_at: string };
export const isReserved = (call: Call): call is ReservedCall => call.reserved_at !== undefined;

export type ClaimedCall = Call & { dial_claimed_at: string };

/**
 * Claims the dial of a call that holds its slots. The same transaction takes the day claims of today, counts the spend
 * within the daily limits and, for a lead's call, holds the credit. It requires that the country is still allowed.
 * @returns the call as the transaction left it; `contended` if other workers kept writing the same items.
 */
export async function claimDial(
  deps: ClaimDialDeps,
  call: ReservedCall,
  org: Pick<Organization, 'daily_limit' | 'voice_number_id'>,
): Promise<{ kind: 'claimed'; call: ClaimedCall } | { kind: 'refused'; step: RefusalStep } | { kind: 'contended' }> {
  const at = deps.now();
  const claim = { callId: call.call_id, claimedAt: at.toISOString() };
  const today = movingDayClaims(deps.claims, call, { at });
  const hold = holdsCredit(call) ? 0 : holdFor(call.rate, call.max_duration_seconds);
  const held = hold > 0 ? { held: hold, holds: (call.holds ?? 0) + 1 } : {};
  const { org_id: orgId, phone_number: phone } = call;
  const calling_number = org.voice_number_id ?? null;
  const spending = countingSpend(deps, call, { amount: hold || call.held, at, limit: org.daily_limit });
  const { country = '' } = destinationOf(phone);
  const erased = await checkErasedClaims(deps, call, at);
  const result = await deps
    .transact<'call' | 'credit' | 'country' | 'ledger' | SpendWrite | DayClaimWrite | ErasedClaimCheck>(
      {
        call: deps.calls.claim(claim, call, { claims_day: today.day, ...held, spend: spending.spend, calling_number }),
        ...today.writes,
        'no erased lead claim': erased['no erased lead claim'],
        'no erased phone claim': erased['no erased phone claim'],
        ...spending.writes,
        credit: hold > 0 ? deps.organizations.holding(orgId, hold) : undefined,
        country: deps.organizations.mayCall(orgId, country),
        ledger: hold > 0 ? deps.ledger.adding(holdEntry({ ...call, ...held }, hold, claim.claimedAt)) : undefined,
      },
      { decidedBy: ['call', ...takingDayClaims, ...checkingErasedClaims] },
    )
    .catch((error: unknown) => {
      if (error instanceof TransactionContention) return undefined;
      throw error;
    });
  if (!result) return { kind: 'contended' };
  if (!result.committed) {
    const { refused } = result;
    const stored = refused.credit?.item && deps.organizations.parse(refused.credit.item);
    const destinationRefusal = refused.country && whyNotAllowed(NOWHERE, phone);
    const spend = refusedSpend(refused, { org, stage: deps.stageSpend });
    const lack = stored && { required: hold, available: stored.available, held: stored.held };
    const taken = alreadyCalled(refused, phone);
    return {
      kind: 'refused',
      step: decideAfterRefusal({ call: !!refused.call, taken, destinationRefusal, spend, lack }),
    };
  }
  const { reserved_at: _, ...claimed } = call;
  return {
    kind: 'claimed',
    call: {
      ...claimed,
      ...held,
      calling_number,
      ...(spending.spend && { spend: spending.spend }),
      status: 'dialing',
      dial_claimed_at: claim.claimedAt,
      attempts: call.attempts + 1,
    },
  };
}
