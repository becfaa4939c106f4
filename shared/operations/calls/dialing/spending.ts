import type { Call } from '../../../domain/calls/call.ts';
import { isSpendCounted, type SpendScope, type SpendStop } from '../../../domain/calls/dialing/spend-limit.ts';
import type { Organization } from '../../../domain/organizations/organization.ts';
import { istDay } from '../../../domain/time/ist-day.ts';
import type { UsageStore } from '../../../stores/calls/usage.ts';
import type { Write } from '../../../stores/dynamodb/transaction.ts';

export type SpendingDeps = {
  usage: Pick<UsageStore, 'committing'>;
  /** The stage's maximum units per IST day; undefined if they are not counted. */
  stageSpend?: number | undefined;
};

/** The writes of a transaction that count spend, by their names. */
export type SpendWrite = 'spend of org' | 'spend of stage' | 'former spend of org' | 'former spend of stage';

type SpendWrites = Record<SpendWrite, Write | undefined>;

const NO_LIMIT = Number.POSITIVE_INFINITY;

/**
 * Adds a call's maximum cost to today's spend, within the limits. A call that was counted on an earlier day and given
 * back since moves to today.
 * @param amount units. @returns the mark that the call stores, and the writes of the transaction
 */
export function countingSpend(
  { usage, stageSpend }: SpendingDeps,
  call: Pick<Call, 'org_id' | 'spend' | 'held'>,
  { amount, at, limit = NO_LIMIT }: { amount: number; at: Date; limit: number | undefined },
): { spend: Call['spend']; writes: SpendWrites } {
  const day = istDay(at);
  if (isSpendCounted(call, day)) return { spend: call.spend, writes: NONE };
  const former = changingSpend({ usage }, call, -call.held);
  return {
    spend: { day, of_stage: stageSpend !== undefined },
    writes: {
      'spend of org': usage.committing(call.org_id, day, amount, limit),
      'spend of stage': stageSpend === undefined ? undefined : usage.committing(STAGE_SPEND, day, amount, stageSpend),
      'former spend of org': former['spend of org'],
      'former spend of stage': former['spend of stage'],
    },
  };
}

/**
 * Adjusts a call's share in its day's spend, for example by its unused hold.
 * @returns no writes for a call that was never counted
 */
export function changingSpend(
  { usage }: Pick<SpendingDeps, 'usage'>,
  { org_id, spend }: Pick<Call, 'org_id' | 'spend'>,
  change: number,
): SpendWrites {
  if (!spend || change === 0) return NONE;
  return {
    ...NONE,
    'spend of org': usage.committing(org_id, spend.day, change),
    'spend of stage': spend.of_stage ? usage.committing(STAGE_SPEND, spend.day, change) : undefined,
  };
}

const NONE: SpendWrites = {
  'spend of org': undefined,
  'spend of stage': undefined,
  'former spend of org': undefined,
  'former spend of stage': undefined,
};

/** The scope of the stage's spend. No organization has this id, because the ids of organizations are longer. */
const STAGE_SPEND = 'stage';

/** Returns the limit that refused a transaction; undefined if no limit did. */
export function refusedSpend(
  refused: Partial<Record<SpendWrite, unknown>>,
  { org, stage = 0 }: { org: Pick<Organization, 'daily_limit'>; stage: number | undefined },
): SpendStop | undefined {
  if (refused['spend of org']) return { of: 'org', limit: org.daily_limit ?? 0 };
  return refused['spend of stage'] ? { of: 'stage', limit: stage } : undefined;
}

/**
 * Checks early whether the call would exceed a limit. Reads the spend only for limits that are set; the dial claim
 * decides.
 */
export async function spendStopOf(
  { usage, stageSpend }: SpendingDeps & { usage: Pick<UsageStore, 'committed'> },
  call: Pick<Call, 'org_id' | 'spend'>,
  { amount, at, limit }: { amount: number; at: Date; limit: number | undefined },
): Promise<SpendStop | undefined> {
  const day = istDay(at);
  if (isSpendCounted(call, day)) return undefined;
  const scopes: [SpendScope, string, number | undefined][] = [
    ['org', call.org_id, limit],
    ['stage', STAGE_SPEND, stageSpend],
  ];
  for (const [of, scope, most] of scopes)
    if (most !== undefined && (await usage.committed(scope, day)) + amount > most) return { of, limit: most };
  return undefined;
}
