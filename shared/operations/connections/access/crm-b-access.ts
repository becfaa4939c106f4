import type { Connection } from '../../../domain/connections/connection.ts';
import type { CrmBAccess } from '../../../integrations/crm-b/api.ts';
import { type AccessTokenProviderDeps, accessTokenProvider } from './access-token-provider.ts';

/** Gives a connection access to CRM-B at the API domain of its grant. */
export const crmBAccess =
  (deps: AccessTokenProviderDeps) =>
  (connection: Connection): CrmBAccess => {
    const provider = accessTokenProvider(deps)(connection);
    return {
      get apiDomain() {
        return provider.connection.grant?.api_domain ?? '';
      },
      token: provider.token,
    };
  };
