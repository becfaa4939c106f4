import { dataCenterHosts } from '../../../domain/connections/access/data-center.ts';
import type { Connection } from '../../../domain/connections/connection.ts';
import { organizationOf } from '../../../domain/connections/help-desk-organization.ts';
import { storedHelpDeskSettings } from '../../../domain/connections/help-desk-settings.ts';
import type { HelpDeskAccess } from '../../../integrations/help-desk/help-desk.ts';
import { type AccessTokenProviderDeps, accessTokenProvider } from './access-token-provider.ts';

export type HelpDeskAccessDeps = AccessTokenProviderDeps & {
  /** The stage's help desk, in place of every data center's real one. */
  helpDeskUrl: string | undefined;
};

/**
 * Gives a connection access to the help desk of its grant's data center (not at the grant's `api_domain`), for the
 * organization of its settings unless that is known not to belong to the grant.
 */
export const helpDeskAccess =
  (deps: HelpDeskAccessDeps) =>
  (connection: Connection): HelpDeskAccess => {
    const provider = accessTokenProvider(deps)(connection);
    return {
      get host() {
        const { grant } = provider.connection;
        return deps.helpDeskUrl ?? (grant ? dataCenterHosts[grant.data_center].helpDesk : '');
      },
      get orgId() {
        // The token may belong to a newer grant, which may lack the organization of the settings.
        if (organizationOf(provider.connection).kind === 'not_chosen') return undefined;
        return storedHelpDeskSettings.safeParse(provider.connection.settings).data?.orgId;
      },
      token: provider.token,
    };
  };
