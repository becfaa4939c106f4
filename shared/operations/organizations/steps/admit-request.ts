import type { Count } from '../../../domain/metric.ts';
import type { AdmittedOrganization } from '../../../domain/organizations/admitted-organization.ts';
import { allows, readAuthorization } from '../../../domain/organizations/api-key.ts';
import type { Permission } from '../../../domain/organizations/permission.ts';
import {
  type CostlyKind,
  defaultRateLimits,
  judgeRate,
  type RateVerdict,
} from '../../../domain/organizations/rate-limit.ts';
import type { NamedKey } from '../../../domain/organizations/requester.ts';
import type { ApiKeyStore } from '../../../stores/organizations/api-keys.ts';
import type { KeyCounterStore } from '../../../stores/organizations/key-counters.ts';

export type AdmitRequestDeps<Org extends AdmittedOrganization = AdmittedOrganization> = {
  apiKeys: Pick<ApiKeyStore, 'get'>;
  organizations: { get: (orgId: string) => Promise<Org | undefined> };
  keyCounters: Pick<KeyCounterStore, 'count' | 'begin'>;
  now: () => Date;
  count: Count;
  /** Adds ids to the request's later log lines. */
  correlate: (ids: { org_id: string; key_id: string }) => void;
};

export type Admission<Org extends AdmittedOrganization = AdmittedOrganization> =
  | { kind: 'admitted'; org: Org; key: NamedKey; rate: RateVerdict }
  | { kind: 'refused'; error: AuthenticationError }
  | { kind: 'rate_limited'; rate: RateVerdict }
  | { kind: 'org_suspended'; rate: RateVerdict }
  | { kind: 'not_permitted'; permission: Permission; rate: RateVerdict };

export type AdmittedRoute = {
  permission?: Permission;
  /** The kind of request whose limit applies, too. */
  costs?: CostlyKind;
};

type AuthenticationError = 'missing_api_key' | 'invalid_api_key_format' | 'invalid_api_key' | 'revoked_api_key';

/**
 * Admits a REST request by its API key, then the rate limit, then the permission (docs/rest-api.md, "Order of checks").
 * Reads and counts in one round trip: the key contains its organization's id, and only existing keys have counters. The
 * first request with a key of an older version needs a second round trip, which creates its counters. A metric counts
 * requests that are not authenticated, and they begin no counters (docs/tracing.md, "Refused requests"). Analyses and
 * uploads are refused while the organization is suspended; for a call, other checks come before this one.
 */
export async function admitRequest<Org extends AdmittedOrganization>(
  deps: AdmitRequestDeps<Org>,
  authorization: string | undefined,
  { permission, costs }: AdmittedRoute,
): Promise<Admission<Org>> {
  const presented = readAuthorization(authorization);
  if (presented.kind === 'refused') return refuse(deps, presented.error);
  const { hash, orgId } = presented.key;
  const epochMs = deps.now().getTime();
  const [key, org, counted] = await Promise.all([
    deps.apiKeys.get(hash),
    deps.organizations.get(orgId),
    deps.keyCounters.count(hash, costs, epochMs),
  ]);
  if (!key || !org || key.org_id !== orgId) return refuse(deps, 'invalid_api_key');
  deps.correlate({ org_id: orgId, key_id: key.key_id });
  if (key.revoked_at) return refuse(deps, 'revoked_api_key');
  const counters = counted ?? (await deps.keyCounters.begin(hash, costs, epochMs));
  const limits = {
    requests_per_minute: org.requests_per_minute ?? defaultRateLimits.requests_per_minute,
    outbound_per_minute: org.outbound_per_minute ?? defaultRateLimits.outbound_per_minute,
  };
  const rate = judgeRate(counters, limits, costs, epochMs);
  if (!rate.allowed) return { kind: 'rate_limited', rate };
  if (permission && !allows(key.permissions, permission)) return { kind: 'not_permitted', permission, rate };
  if (org.suspended_at && (costs === 'analyses' || costs === 'uploads')) return { kind: 'org_suspended', rate };
  return { kind: 'admitted', org, key, rate };
}

function refuse({ count }: Pick<AdmitRequestDeps, 'count'>, error: AuthenticationError): Admission<never> {
  count('NotAuthenticated');
  return { kind: 'refused', error };
}
