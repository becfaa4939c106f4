import type { OauthType } from '../../../../shared/domain/connections/consent.ts';
import { crmBApi } from '../../../../shared/integrations/crm-b/api.ts';
import { crmBIdentity } from '../../../../shared/integrations/crm-b/identity.ts';
import { crmBWatch } from '../../../../shared/integrations/crm-b/watch.ts';
import { helpDeskApi } from '../../../../shared/integrations/help-desk/api.ts';
import { helpDeskIdentity } from '../../../../shared/integrations/help-desk/identity.ts';
import { helpDeskOrganizations } from '../../../../shared/integrations/help-desk/organizations.ts';
import { zohoAccounts } from '../../../../shared/integrations/zoho-accounts/accounts.ts';
import { crmBAccess } from '../../../../shared/operations/connections/access/crm-b-access.ts';
import { helpDeskAccess } from '../../../../shared/operations/connections/access/help-desk-access.ts';
import {
  crmBIdentityReader,
  helpDeskIdentityReader,
  type ReadIdentity,
} from '../../../../shared/operations/connections/access/identity-readers.ts';
import { sleep } from '../../../../shared/runtime/clock.ts';
import { oauthClientReader } from '../../../../shared/stores/connections/oauth-clients.ts';
import type { Cloud } from '../../cloud/cloud.ts';

const REQUEST_MS = 10_000;
/** The operator sees the result, so no alarm needs to ring. */
const count = () => undefined;

export const clientReader = (cloud: Cloud, type: OauthType) =>
  oauthClientReader(cloud.secrets, cloud.named.secret(`${type}-oauth`));

/**
 * The dependencies of operations that change a connection's channel or grant at the vendor.
 * @param failures gets the warnings, for the operator.
 */
export async function channelDeps(cloud: Cloud, type: OauthType, failures: string[] = []) {
  const [{ hosts }, publicUrl] = await Promise.all([cloud.oauthSettings(), cloud.publicUrl()]);
  const accountsApi = zohoAccounts({ timeoutMs: REQUEST_MS, accountsUrl: hosts.accountsUrl });
  return {
    connections: cloud.connections,
    channels: cloud.channels,
    tokens: cloud.tokens,
    accounts: accountsApi,
    watch: crmBWatch(crmBApi({ timeoutMs: REQUEST_MS })),
    accessTo: crmBAccess({ ...cloud, accounts: accountsApi, clientOf: clientReader(cloud, type), count, sleep }),
    publicUrl,
    now: cloud.now,
    sleep,
    transact: cloud.transact,
    warn: (message: string, { reason }: { reason: string }) => {
      failures.push(`${message}: ${reason}`);
    },
  };
}

/** The dependencies of a request for the organizations of a help desk grant. */
export async function organizationDeps(cloud: Cloud) {
  const { hosts, helpDeskUrl } = await cloud.oauthSettings();
  return {
    helpDeskOrganizations: helpDeskOrganizations(helpDeskApi({ timeoutMs: REQUEST_MS })),
    accessTo: helpDeskAccess({
      ...cloud,
      accounts: zohoAccounts({ timeoutMs: REQUEST_MS, accountsUrl: hosts.accountsUrl }),
      clientOf: clientReader(cloud, 'help-desk'),
      helpDeskUrl,
      count,
      sleep,
    }),
  };
}

/** Reads who gave a consent to a connection of the type. */
export async function identityReader(cloud: Cloud, type: OauthType): Promise<ReadIdentity> {
  if (type === 'crm-b') return crmBIdentityReader(crmBIdentity(crmBApi({ timeoutMs: REQUEST_MS })));
  const { helpDeskUrl } = await cloud.oauthSettings();
  return helpDeskIdentityReader(helpDeskIdentity(helpDeskApi({ timeoutMs: REQUEST_MS })), helpDeskUrl);
}
