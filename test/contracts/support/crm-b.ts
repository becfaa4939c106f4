import type { NoToken } from '../../../shared/domain/connections/access/token-result.ts';
import { type CrmBAccess, crmBApi } from '../../../shared/integrations/crm-b/api.ts';
import { startCrmB } from '../../local/support/crm-b.ts';
import { aToken } from '../../support/connections/access-token.ts';

/** Patient enough for a busy machine. */
export const api = crmBApi({ timeoutMs: 10_000 });
/** For requests without an answer: a test waits this long. */
const impatient = crmBApi({ timeoutMs: 500 });

/** Returns a client whose time limits suit this fault. */
export const apiFor = ({ kind }: { kind: string }) => (kind.startsWith('hang') ? impatient : api);

/** Starts a simulator for one test file, which passes `end` to `afterAll`, with access to it. */
export async function startCrmBWithAccess() {
  const crmB = await startCrmB();
  const access = (token: CrmBAccess['token']): CrmBAccess => ({ apiDomain: crmB.simulator.url, token });
  return {
    ...crmB,
    accessWith: (token: string) => access(async () => aToken(token)),
    accessWithout: (noToken: NoToken) => access(async () => noToken),
  };
}

/** Access to an address where no server listens. */
export const unreachable: CrmBAccess = { apiDomain: 'http://127.0.0.1:9', token: async () => aToken('x') };
