import { isUsable } from '../../../domain/connections/access/refresh-policy.ts';
import type { Connection } from '../../../domain/connections/connection.ts';
import type { CrmBAccess } from '../../../integrations/crm-b/api.ts';
import type { OauthTokens } from '../../../stores/connections/oauth-tokens.ts';

export type ReadingAccessDeps = { tokens: Pick<OauthTokens, 'open'>; now: () => Date };

/** Returns whether the stored access token can be used. check-watch-channels renews it in its runs every 15 minutes. */
export const hasUsableAccess = ({ access }: Pick<Connection, 'access'>, now: Date): boolean =>
  access !== undefined && isUsable(access, now);

/**
 * Gives a connection access to CRM-B with the stored token only, for read-only requests: it neither refreshes nor
 * writes.
 */
export const readOnlyAccess =
  ({ tokens, now }: ReadingAccessDeps) =>
  ({ connection_id, grant, access, reconnect_needed }: Connection): CrmBAccess => ({
    apiDomain: grant?.api_domain ?? '',
    token: async (rejected) => {
      if (reconnect_needed) return { kind: 'reconnect_needed', reason: reconnect_needed.reason };
      if (!grant) return { kind: 'reconnect_needed', reason: 'the connection is not connected' };
      if (rejected !== undefined || !access || !hasUsableAccess({ access }, now()))
        return { kind: 'unavailable', reason: 'its access token is being renewed' };
      return { kind: 'token', token: await tokens.open(connection_id, access.token) };
    },
  });
