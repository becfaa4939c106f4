import type { OauthType } from '../../shared/domain/connections/access/consent.ts';
import { zohoAccounts } from '../../shared/integrations/zoho-accounts/accounts.ts';
import { crmBAccess, helpDeskAccess } from '../../shared/operations/connections/access/connection-access.ts';
import { sleep } from '../../shared/runtime/clock.ts';
import { oauthClientReader } from '../../shared/stores/connections/oauth-clients.ts';
import type { Cloud } from './cloud/cloud.ts';

export const REQUEST_MS = 10_000;
/** The operator sees the result, so no alarm is raised. */
const count = () => undefined;

export const clientReader = (cloud: Cloud, type: OauthType) =>
  oauthClientReader(cloud.secrets, cloud.named.secret(`${type}-oauth`));

/**
 * Opens the accounts server and the access of connections to CRM-B.
 * @param type the connection type whose OAuth clients are used
 */
export async function crmBVendor(cloud: Cloud, type: OauthType) {
  const { hosts } = await cloud.oauthSettings();
  const accounts = zohoAccounts({ timeoutMs: REQUEST_MS, accountsUrl: hosts.accountsUrl });
  return { accounts, accessTo: crmBAccess({ ...cloud, accounts, clientOf: clientReader(cloud, type), count, sleep }) };
}

/** Gives connections access to the help desk. */
export async function helpDeskVendor(cloud: Cloud) {
  const { hosts, helpDeskUrl } = await cloud.oauthSettings();
  const accounts = zohoAccounts({ timeoutMs: REQUEST_MS, accountsUrl: hosts.accountsUrl });
  const clientOf = clientReader(cloud, 'help-desk');
  return { accessTo: helpDeskAccess({ ...cloud, accounts, clientOf, helpDeskUrl, count, sleep }) };
}
