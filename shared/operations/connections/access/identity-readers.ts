import type { ConsentIdentity } from '../../../domain/connections/access/consent-identity.ts';
import { dataCenterHosts } from '../../../domain/connections/access/data-center.ts';
import type { Grant } from '../../../domain/connections/access/grant.ts';
import type { TokenResult } from '../../../domain/connections/access/token-result.ts';
import type { CrmBAccess } from '../../../integrations/crm-b/api.ts';
import type { HelpDeskAccess } from '../../../integrations/help-desk/help-desk.ts';

/** Reads who gave a consent, using only its access token: the grant does not belong to the connection yet. */
export type ReadIdentity = (
  grant: Pick<Grant, 'api_domain' | 'data_center'>,
  accessToken: string,
) => Promise<ConsentIdentity | undefined>;

export const crmBIdentityReader =
  (identity: { read: (access: CrmBAccess) => Promise<ConsentIdentity | undefined> }): ReadIdentity =>
  ({ api_domain }, accessToken) =>
    identity.read({ apiDomain: api_domain, token: only(accessToken) });

/** @param helpDeskUrl the stage's help desk, in place of the data center's real one */
export const helpDeskIdentityReader =
  (
    identity: { read: (access: HelpDeskAccess) => Promise<ConsentIdentity | undefined> },
    helpDeskUrl: string | undefined,
  ): ReadIdentity =>
  ({ data_center }, accessToken) =>
    identity.read({
      host: helpDeskUrl ?? dataCenterHosts[data_center].helpDesk,
      orgId: undefined,
      token: only(accessToken),
    });

/** Provides this token only: an unconfirmed consent gets no other. */
const only =
  (token: string) =>
  async (rejected?: string): Promise<TokenResult> =>
    rejected === undefined ? { kind: 'token', token } : { kind: 'unavailable', reason: 'the access token is refused' };
