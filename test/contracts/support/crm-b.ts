import type { NoToken } from '../../../shared/domain/connections/token-result.ts';
import { type CrmBAccess, crmBApi } from '../../../shared/integrations/crm-b/api.ts';
import { simulator } from '../../local/support/crm-b.ts';
import { aToken } from '../../support/access-token.ts';

/** Patient enough for a busy machine. */
export const api = crmBApi({ timeoutMs: 10_000 });
/** For requests that get no answer: a test waits this long. */
const impatient = crmBApi({ timeoutMs: 500 });

/** The client for a request that this fault will meet. */
export const apiFor = ({ kind }: { kind: string }) => (kind.startsWith('hang') ? impatient : api);

export const accessWith = (token: string): CrmBAccess => ({
  apiDomain: simulator.url,
  token: async () => aToken(token),
});

export const accessWithout = (noToken: NoToken): CrmBAccess => ({
  apiDomain: simulator.url,
  token: async () => noToken,
});

/** Access to an address where no server listens. */
export const unreachable: CrmBAccess = { apiDomain: 'http://127.0.0.1:9', token: async () => aToken('x') };
