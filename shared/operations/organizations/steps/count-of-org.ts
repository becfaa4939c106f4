import { type costlyLimits, judgeOrg, type RateVerdict } from '../../../domain/organizations/rate-limit.ts';
import type { RateLimitStore } from '../../../stores/organizations/rate-limits.ts';

export type CountOfOrgDeps = { rateLimits: Pick<RateLimitStore, 'count'>; now: () => Date };

/** Counts a request of any key or member of an organization that costs. */
export async function countOfOrg(
  { rateLimits, now }: CountOfOrgDeps,
  orgId: string,
  kind: keyof typeof costlyLimits,
): Promise<RateVerdict> {
  const epochMs = now().getTime();
  const { requests } = await rateLimits.count(`${kind}#${orgId}`, undefined, epochMs);
  return judgeOrg(requests, kind, epochMs);
}
