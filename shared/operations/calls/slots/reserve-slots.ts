import { TransactionContention } from '../../../domain/contention.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import { orgScope, type SlotStore, STAGE_SCOPE } from '../../../stores/calls/slots/slots.ts';
import type { Transact } from '../../../stores/dynamodb/transaction.ts';
import type { ChosenOrg } from './choose-calls.ts';

export type ReserveSlotsDeps = {
  calls: Pick<CallStore, 'reserving'>;
  slots: Pick<SlotStore, 'stage' | 'takingOfStage' | 'takingOfOrg'>;
  transact: Transact;
  /** Live calls that the platform account allows at once. */
  stageSlots: number;
  now: () => Date;
};

type Reservation =
  | { kind: 'reserved'; callIds: string[] }
  /** Nothing was written. `changed` are the calls that no longer wait. */
  | { kind: 'refused'; changed: string[] };

const CALL = 'call ';

/**
 * Reserves a slot of the stage and one of its organization for each call, all in one transaction: a call has at most
 * one reservation, and no counter is above its limit.
 */
export async function reserveSlots(deps: ReserveSlotsDeps, orgs: readonly ChosenOrg[]): Promise<Reservation> {
  const now = deps.now().toISOString();
  const callIds = orgs.flatMap((org) => org.callIds);
  const ofOrg = ({ orgId, limit, callIds: { length } }: ChosenOrg) =>
    [`org ${orgId}`, deps.slots.takingOfOrg(orgId, length, limit, now)] as const;
  const ofCalls = ({ orgId, callIds: ids }: ChosenOrg) =>
    ids.map((id) => [CALL + id, deps.calls.reserving(id, [STAGE_SCOPE, orgScope(orgId)], now)] as const);
  const result = await deps
    .transact<string>({
      stage: deps.slots.takingOfStage(callIds.length, deps.stageSlots),
      ...Object.fromEntries(orgs.map(ofOrg)),
      ...Object.fromEntries(orgs.flatMap(ofCalls)),
    })
    .catch((error: unknown) => {
      if (error instanceof TransactionContention) return { committed: false, refused: {} } as const;
      throw error;
    });
  if (result.committed) return { kind: 'reserved', callIds };
  const changed = Object.keys(result.refused).filter((name) => name.startsWith(CALL));
  return { kind: 'refused', changed: changed.map((name) => name.slice(CALL.length)) };
}
