import { type Call, holdsCredit } from '../../../domain/calls/call.ts';
import { backoffSeconds, type UngatedRefusal } from '../../../domain/calls/dialing/dial-timing.ts';
import { releaseEntry } from '../../../domain/organizations/ledger-entry.ts';
import { secondsAfter } from '../../../domain/time/instants.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { CreditLedger } from '../../../stores/organizations/credit-ledger.ts';
import type { OrganizationStore } from '../../../stores/organizations/organizations.ts';
import { type GiveBackSlotsDeps, givingBackSlots } from '../slots/giving-back-slots.ts';
import { changingSpend, type SpendingDeps } from './spending.ts';

export type GiveBackDialClaimDeps = GiveBackSlotsDeps &
  Pick<SpendingDeps, 'usage'> & {
    calls: Pick<CallStore, 'givingBack'>;
    organizations: Pick<OrganizationStore, 'settling'>;
    ledger: Pick<CreditLedger, 'adding'>;
    random: () => number;
  };

/**
 * Gives back the dial claim and the slots of an attempt that rang no phone, in one transaction. After its back-off the
 * call waits for a slot again. If the worker dies before it notifies hand-over-slots, recover-calls lists the
 * organization again. A lead's call whose refusal closes no gate also gives back its hold and its spend, because many
 * such calls may wait at once; its next dial holds them again.
 * @param call as read, with its claim. @param attempt.absent whether lookups proved that the platform does not have the
 * call
 * @returns false if the call has changed since
 */
export async function giveBackDialClaim(
  deps: GiveBackDialClaimDeps,
  call: Call & { dial_claimed_at: string },
  attempt: { platformId?: string; absent?: boolean; ungated?: UngatedRefusal | undefined } = {},
): Promise<boolean> {
  const now = deps.now();
  const at = now.toISOString();
  const isReleased = attempt.ungated !== undefined && call.lead !== undefined && holdsCredit(call);
  const delay = backoffSeconds(Math.max(1, call.attempts), deps.random(), attempt.ungated);
  const dialAfter = secondsAfter(now, delay);
  const result = await deps.transact<string>({
    call: deps.calls.givingBack(
      call,
      {
        dialAfter,
        ...(attempt.platformId && { platformId: attempt.platformId }),
        absent: attempt.absent ?? false,
        isReleased,
      },
      at,
    ),
    ...(isReleased && {
      credit: deps.organizations.settling(call.org_id, { held: call.held, cost: 0 }),
      ledger: deps.ledger.adding(releaseEntry(call, call.held, at)),
      ...changingSpend(deps, call, -call.held),
    }),
    ...givingBackSlots(deps.slots, call),
  });
  // Other calls may wait for this credit, and the event of the freed slots does not reveal that it is free.
  if (result.committed && isReleased) await deps.slotsQueue.send({ org_id: call.org_id, at, freed_credit: true });
  // One second more than the back-off: a hand-over before `dial_after` does not see the call.
  if (result.committed) await deps.slotsQueue.send({ org_id: call.org_id, at: dialAfter }, delay + 1);
  return result.committed;
}
