import type { NoToken } from '../../../shared/domain/connections/access/token-result.ts';
import { type CrmBAccess, crmBApi } from '../../../shared/integrations/crm-b/api.ts';
import { simulator } from '../../local/support/crm-b.ts';
import { aToken } from '../../support/connections/access-token.ts';

/** Patient enough for a busy machine. */
export const api = crmBApi({ timeoutMs: 10_000 });
/** For requests without an answer: a test waits this long. */
const impatient = crmBApi({ timeoutMs: 500 });

/** Returns a client whose time limits suit this fault. */
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
