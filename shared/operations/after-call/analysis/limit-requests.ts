import {
  ANALYSIS_SPACING_SECONDS,
  MAX_ANALYSES_A_DAY,
} from '../../../domain/after-call/analysis/requested-analysis.ts';
import type { Call } from '../../../domain/calls/call.ts';
import { endOfIstDay, istDay } from '../../../domain/time/ist-day.ts';
import type { RateLimitStore } from '../../../stores/organizations/rate-limits.ts';
import { type CountOfOrgDeps, countOfOrg } from '../../organizations/steps/count-of-org.ts';
import type { TooOften } from './analyze-transcript.ts';

export type LimitRequestsDeps = CountOfOrgDeps & { rateLimits: Pick<RateLimitStore, 'claim'> };

/**
 * Limits requested analyses (docs/rest-api.md, "Rate limits"): per organization and minute, and per call to one at a
 * time and a few per day. Both are counted in parallel, after the request is admitted.
 */
export const limitRequests =
  (deps: LimitRequestsDeps) =>
  async ({ call_id, org_id }: Pick<Call, 'call_id' | 'org_id'>): Promise<TooOften | undefined> => {
    const now = deps.now();
    const limits = { day: istDay(now), spacing: ANALYSIS_SPACING_SECONDS, most: MAX_ANALYSES_A_DAY };
    const [ofOrg, claim] = await Promise.all([
      countOfOrg(deps, org_id, 'analyses'),
      deps.rateLimits.claim(`analysis#${call_id}`, limits, now.getTime()),
    ]);
    if (!ofOrg.allowed)
      return {
        kind: 'too_often',
        reason: `Your organization may have ${ofOrg.limit} calls analyzed by request in ${ofOrg.windowSeconds} s.`,
        retryAfterSeconds: ofOrg.resetSeconds,
      };
    switch (claim.kind) {
      case 'claimed':
        return undefined;
      case 'too_soon':
        return {
          kind: 'too_often',
          reason: `A call is analyzed by request once in ${limits.spacing} s at most.`,
          retryAfterSeconds: claim.seconds,
        };
      case 'used_up':
        return {
          kind: 'too_often',
          reason: `A call is analyzed by request ${limits.most} times a day at most. Days begin at midnight in India.`,
          retryAfterSeconds: Math.ceil((endOfIstDay(limits.day).getTime() - now.getTime()) / 1_000),
        };
    }
  };
