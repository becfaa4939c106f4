import type { Connection } from '../../../domain/connections/connection.ts';
import { dataCenterHosts } from '../../../domain/connections/data-center.ts';
import { organizationOf } from '../../../domain/connections/help-desk-organization.ts';
import { helpDeskSettingsSchema } from '../../../domain/connections/help-desk-settings.ts';
import type { HelpDeskAccess } from '../../../integrations/help-desk/help-desk.ts';
import { type AccessTokenProviderDeps, accessTokenProvider } from './access-token-provider.ts';

export type HelpDeskAccessDeps = AccessTokenProviderDeps & {
  /** What the stage has in place of the help desk of every data center. */
  helpDeskUrl: string | undefined;
};

/**
 * The right to ask the help desk for a connection: at the help desk of its grant's data center (the grant's `api_domain` is
 * none), for the organization of its settings, unless that is known to be none of the grant's. @param connection as it was read.
 */
export const helpDeskAccess =
  (deps: HelpDeskAccessDeps) =>
  (connection: Connection): HelpDeskAccess => {
    const granted = accessTokenProvider(deps)(connection);
    return {
      get host() {
        const { grant } = granted.connection;
        return deps.helpDeskUrl ?? (grant ? dataCenterHosts[grant.data_center].helpDesk : '');
      },
      get orgId() {
        // The connection may have been read anew for its token: one that is not the grant's must not come in by that.
        if (organizationOf(granted.connection).kind === 'not_chosen') return undefined;
        return helpDeskSettingsSchema.safeParse(granted.connection.settings).data?.orgId;
      },
      token: granted.token,
    };
  };
