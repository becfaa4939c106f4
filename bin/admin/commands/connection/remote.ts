import type { OauthType } from '../../../../shared/domain/connections/access/consent.ts';
import { crmBApi } from '../../../../shared/integrations/crm-b/api.ts';
import { crmBIdentity } from '../../../../shared/integrations/crm-b/identity.ts';
import { crmBWatch } from '../../../../shared/integrations/crm-b/watch.ts';
import { helpDeskApi } from '../../../../shared/integrations/help-desk/api.ts';
import { helpDeskIdentity } from '../../../../shared/integrations/help-desk/identity.ts';
import { helpDeskOrganizations } from '../../../../shared/integrations/help-desk/organizations.ts';
import {
  crmBIdentityReader,
  helpDeskIdentityReader,
  type ReadIdentity,
} from '../../../../shared/operations/connections/access/identity-readers.ts';
import { sleep } from '../../../../shared/runtime/clock.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { crmBVendor, helpDeskVendor, REQUEST_MS } from '../../vendor-access.ts';

/**
 * Makes the dependencies of operations that change a connection's channel or grant at the vendor.
 * @param failures collects the warnings that the operator sees
 */
export async function channelDeps(cloud: Cloud, type: OauthType, failures: string[] = []) {
  const [{ accounts, accessTo }, publicUrl] = await Promise.all([crmBVendor(cloud, type), cloud.publicUrl()]);
  return {
    connections: cloud.connections,
    channels: cloud.channels,
    tokens: cloud.tokens,
    accounts,
    watch: crmBWatch(crmBApi({ timeoutMs: REQUEST_MS })),
    accessTo,
    publicUrl,
    now: cloud.now,
    sleep,
    transact: cloud.transact,
    warn: (message: string, { reason }: { reason: string }) => {
      failures.push(`${message}: ${reason}`);
    },
  };
}

/** Makes the dependencies of a request for the organizations that a help desk's grant may use. */
export async function organizationDeps(cloud: Cloud) {
  return {
    helpDeskOrganizations: helpDeskOrganizations(helpDeskApi({ timeoutMs: REQUEST_MS })),
    ...(await helpDeskVendor(cloud)),
  };
}

/** Makes the function that reads who gave a consent to a connection of the type. */
export async function identityReader(cloud: Cloud, type: OauthType): Promise<ReadIdentity> {
  if (type === 'crm-b') return crmBIdentityReader(crmBIdentity(crmBApi({ timeoutMs: REQUEST_MS })));
  const { helpDeskUrl } = await cloud.oauthSettings();
  return helpDeskIdentityReader(helpDeskIdentity(helpDeskApi({ timeoutMs: REQUEST_MS })), helpDeskUrl);
}
