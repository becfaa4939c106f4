import type { Call } from '../../domain/calls/call.ts';
import { claimKeysOf } from '../../domain/calls/lead-claims.ts';
import type { Ending } from '../../domain/calls/platform-message.ts';
import type { Count } from '../../domain/metric.ts';
import { chargeFor } from '../../domain/organizations/credit.ts';
import { releaseEntry, settlementEntry } from '../../domain/organizations/ledger-entry.ts';
import type { CallStore } from '../../stores/calls/calls.ts';
import type { ClaimStore } from '../../stores/calls/claims.ts';
import type { SlotStore } from '../../stores/calls/slots.ts';
import type { Transact, TransactionResult, Write } from '../../stores/dynamodb/transaction.ts';
import type { CreditLedger } from '../../stores/organizations/credit-ledger.ts';
import type { OrganizationStore } from '../../stores/organizations/organizations.ts';

export type EndCallDeps = {
  calls: Pick<CallStore, 'ending'>;
  organizations: Pick<OrganizationStore, 'settling'>;
  ledger: Pick<CreditLedger, 'adding'>;
  slots: Pick<SlotStore, 'givingBack'>;
  transact: Transact;
  now: () => Date;
  count: Count;
};

export type GiveUpCallDeps = EndCallDeps & { claims: Pick<ClaimStore, 'freeing'> };

/**
 * Ends a call that rang nobody, and frees what its lead had claimed, so that the next event may call the lead
 * (docs/leads.md, "Claims").
 * @param call as it was read; where it has changed since, nothing is written.
 * @param together what else is written in the transaction.
 * @returns whether this ended the call.
 */
export async function giveUpCall(
  deps: GiveUpCallDeps,
  call: Call,
  status: 'failed' | 'canceled',
  reason: string,
  together: Record<string, Write> = {},
): Promise<boolean> {
  const ending = givenUp(status, reason, deps.now());
  return freeingClaims(deps.claims, call, (claims) => tryToEnd(deps, call, ending, { ...claims, ...together }));
}

/**
 * Runs a transaction with the writes that free a call's claims. Where another event owns them by now they are its own, and
 * it is run without.
 * @returns whether it was committed.
 */
export async function freeingClaims(
  claims: Pick<ClaimStore, 'freeing'>,
  call: Call,
  run: (claims: Record<string, Write>) => Promise<TransactionResult<string>>,
): Promise<boolean> {
  const result = await run(claimsOf(claims, call));
  if (result.committed || !Object.keys(result.refused).every(isClaim)) return result.committed;
  return (await run({})).committed;
}

const isClaim = (write: string): boolean => write.endsWith(' claim');

const claimsOf = (claims: Pick<ClaimStore, 'freeing'>, call: Call): Record<string, Write> => {
  const { lead, claims_day } = call;
  if (!lead || !claims_day) return {};
  const keys = claimKeysOf(call, lead, claims_day);
  return {
    'lead claim': claims.freeing(keys.lead, lead.event_id),
    'phone claim': claims.freeing(keys.phone, lead.event_id),
  };
};

/**
 * Ends a call and settles its credit, in one transaction: status, times, cost, the org's credit, the ledger entry and
 * the slots that the claim took (docs/call-lifecycle.md, "What the platform reports").
 * @param call as it was read; where it has changed since, nothing is written.
 * @param ending.platformId the attempt that the platform reported; absent where the service itself ends the call.
 * @param together what else is written in the transaction.
 * @returns whether this ended the call.
 */
export async function endCall(
  deps: EndCallDeps,
  call: Call,
  ending: Ending & { platformId?: string; transcriptKey?: string },
  together: Record<string, Write> = {},
): Promise<boolean> {
  return (await tryToEnd(deps, call, ending, together)).committed;
}

async function tryToEnd(
  deps: EndCallDeps,
  call: Call,
  ending: Ending & { platformId?: string; transcriptKey?: string },
  together: Record<string, Write>,
): Promise<TransactionResult<string>> {
  const { cost, beyondHold } = chargeFor(call, ending.duration);
  const now = deps.now().toISOString();
  const entry = ending.platformId
    ? settlementEntry(call, { held: call.held, cost }, now)
    : releaseEntry(call, call.held, now);
  const holdsCredit = call.status !== 'scheduled';
  const result = await deps.transact<string>({
    call: deps.calls.ending(call, { ...ending, cost, beyondHold }, now),
    credit: holdsCredit ? deps.organizations.settling(call.org_id, { held: call.held, cost }) : undefined,
    ledger: holdsCredit ? deps.ledger.adding(entry) : undefined,
    ...givingBackSlots(deps.slots, call),
    ...together,
  });
  if (result.committed && beyondHold > 0) deps.count('UnitsBeyondHold', beyondHold);
  return result;
}

/** Gives back exactly the counters that the call's claim took. */
export const givingBackSlots = (slots: Pick<SlotStore, 'givingBack'>, call: Call): Record<string, Write> =>
  Object.fromEntries((call.slots ?? []).map((scope) => [`slot ${scope}`, slots.givingBack(scope)]));

/** How a call ends that the service gives up by itself: nobody was on the line. */
export const givenUp = (status: 'failed' | 'canceled', reason: string, now: Date): Ending => ({
  status,
  ended_reason: reason,
  ended_at: now.toISOString(),
  duration: 0,
});
