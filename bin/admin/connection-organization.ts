import type { Connection } from '../../shared/domain/connections/connection.ts';
import { type GrantedOrganizations, organizationOf } from '../../shared/domain/connections/help-desk-organization.ts';
import { helpDeskApi } from '../../shared/integrations/help-desk/api.ts';
import { helpDeskOrganizations } from '../../shared/integrations/help-desk/organizations.ts';
import { zohoAccounts } from '../../shared/integrations/zoho-accounts/accounts.ts';
import { helpDeskAccess } from '../../shared/operations/connections/access/help-desk-access.ts';
import { listOrganizations } from '../../shared/operations/connections/list-organizations.ts';
import { sleep } from '../../shared/runtime/clock.ts';
import { oauthClientReader } from '../../shared/stores/connections/oauth-clients.ts';
import type { Cloud } from './cloud.ts';
import { invalid } from './values.ts';

const REQUEST_MS = 10_000;

/** What an update learns of the help desk's organizations: those of the grant, or in words why not; nothing = not asked. */
export type Learned = { organizations?: GrantedOrganizations; failure?: string };

/**
 * Asks the help desk where an update leaves a connection without an organization that is known to be the grant's.
 * @param settings as the update makes them; undefined = as they stand.
 * @throws Refusal where the update sets an organization that is none of the grant's.
 */
export async function learnOrganizations(
  cloud: Cloud,
  connection: Connection,
  settings: Connection['settings'] = connection.settings,
): Promise<Learned> {
  if (connection.type !== 'help-desk' || !connection.grant) return {};
  if (organizationOf({ ...connection, settings }).kind === 'chosen') return {};
  const told = await ask(cloud, connection);
  if (told.kind !== 'listed')
    return { failure: `The help desk did not tell its organizations (${told.reason}): the next ticket asks again.` };
  const { organizations } = told;
  const isSet = settings?.orgId !== undefined && settings.orgId !== connection.settings?.orgId;
  if (isSet && !organizations.some(({ id }) => id === settings.orgId)) {
    const those = organizations.map(({ id, name }) => `${id} (${name})`).join(', ') || 'none';
    throw invalid(`--settings: orgId: must be an organization that the grant may use: ${those}.`);
  }
  return { organizations };
}

async function ask(cloud: Cloud, connection: Connection) {
  const { hosts, helpDeskUrl } = await cloud.oauthSettings();
  const granted = {
    ...cloud,
    accounts: zohoAccounts({ timeoutMs: REQUEST_MS, accountsUrl: hosts.accountsUrl }),
    clientOf: oauthClientReader(cloud.secrets, cloud.named.secret('help-desk-oauth')),
    helpDeskUrl,
    sleep,
  };
  const deps = {
    helpDeskOrganizations: helpDeskOrganizations(helpDeskApi({ timeoutMs: REQUEST_MS })),
    accessTo: helpDeskAccess(granted),
  };
  return listOrganizations(deps, connection);
}
