import {
  ANALYSIS_SPACING_SECONDS,
  MAX_ANALYSES_A_DAY,
} from '../../../domain/after-call/analysis/requested-analysis.ts';
import type { Call } from '../../../domain/calls/call.ts';
import type { RateVerdict } from '../../../domain/organizations/rate-limit.ts';
import { endOfIstDay, istDay } from '../../../domain/time/ist-day.ts';
import type { RateLimitStore } from '../../../stores/organizations/rate-limits.ts';
import { type CountOfOrgDeps, countOfOrg } from '../../organizations/steps/count-of-org.ts';
import type { TooOften } from './analyze-transcript.ts';

export type LimitRequestsDeps = CountOfOrgDeps & { rateLimits: Pick<RateLimitStore, 'claim'> };

type Claim = Awaited<ReturnType<RateLimitStore['claim']>>;

/**
 * Limits requested analyses (docs/rest-api.md, "Rate limits"): per organization and minute, and per call to one at a
 * time and a few per day. Both are counted in parallel, after the request is admitted. If both refuse, the answer is
 * the refusal that lasts longer.
 */
export const limitRequests =
  (deps: LimitRequestsDeps) =>
  async ({ call_id, org_id }: Pick<Call, 'call_id' | 'org_id'>): Promise<TooOften | undefined> => {
    const now = deps.now();
    const day = istDay(now);
    const [ofOrg, claim] = await Promise.all([
      countOfOrg(deps, org_id, 'analyses'),
      deps.rateLimits.claim(
        `analysis#${call_id}`,
        { day, spacing: ANALYSIS_SPACING_SECONDS, most: MAX_ANALYSES_A_DAY },
        now.getTime(),
      ),
    ]);
    const byOrg = ofOrg.allowed ? undefined : refusalByOrg(ofOrg, claim);
    const byCall = refusalByCall(claim, day, now);
    if (!byOrg || !byCall) return byOrg ?? byCall;
    return byOrg.retryAfterSeconds > byCall.retryAfterSeconds ? byOrg : byCall;
  };

/** Refuses beyond the organization's limit. A refused request keeps the call's claim, if it got one. */
const refusalByOrg = ({ limit, windowSeconds, resetSeconds }: RateVerdict, { kind }: Claim): TooOften => ({
  kind: 'too_often',
  reason: `Your organization may have ${limit} calls analyzed by request in ${windowSeconds} s.`,
  retryAfterSeconds: kind === 'claimed' ? Math.max(resetSeconds, ANALYSIS_SPACING_SECONDS) : resetSeconds,
});

function refusalByCall(claim: Claim, day: string, now: Date): TooOften | undefined {
  switch (claim.kind) {
    case 'claimed':
      return undefined;
    case 'too_soon':
      return {
        kind: 'too_often',
        reason: `A call is analyzed by request once in ${ANALYSIS_SPACING_SECONDS} s at most.`,
        retryAfterSeconds: claim.seconds,
      };
    case 'used_up':
      return {
        kind: 'too_often',
        reason: `A call is analyzed by request ${MAX_ANALYSES_A_DAY} times a day at most. Days begin at midnight in India.`,
        retryAfterSeconds: Math.ceil((endOfIstDay(day).getTime() - now.getTime()) / 1_000),
      };
  }
}
