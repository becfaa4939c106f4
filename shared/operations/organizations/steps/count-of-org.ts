import { judgeOrg, type LimitedOfOrg, type RateVerdict } from '../../../domain/organizations/rate-limit.ts';
import type { RateLimitStore } from '../../../stores/organizations/rate-limits.ts';

export type CountOfOrgDeps = { rateLimits: Pick<RateLimitStore, 'countOfOrg'>; now: () => Date };

/**
 * Counts an expensive request by any key or member of an organization. @param keyHash of the key, for requests that
 * `countKnownOfOrg` counts.
 */
export async function countOfOrg(
  { rateLimits, now }: CountOfOrgDeps,
  orgId: string,
  kind: LimitedOfOrg,
  keyHash?: string,
): Promise<RateVerdict> {
  const epochMs = now().getTime();
  return judgeOrg(await rateLimits.countOfOrg(orgId, kind, epochMs, keyHash), kind, epochMs);
}
