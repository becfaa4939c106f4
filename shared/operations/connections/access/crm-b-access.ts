import type { Connection } from '../../../domain/connections/connection.ts';
import type { CrmBAccess } from '../../../integrations/crm-b/api.ts';
import { type AccessTokenProviderDeps, accessTokenProvider } from './access-token-provider.ts';

/** The right to ask CRM-B for a connection, at the domain of its grant. @param connection as it was read. */
export const crmBAccess =
  (deps: AccessTokenProviderDeps) =>
  (connection: Connection): CrmBAccess => {
    const granted = accessTokenProvider(deps)(connection);
    return {
      get apiDomain() {
        return granted.connection.grant?.api_domain ?? '';
      },
      token: granted.token,
    };
  };
