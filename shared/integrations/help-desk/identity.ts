import * as z from 'zod/mini';
import { type ConsentIdentity, identityText as shown } from '../../domain/connections/access/consent-identity.ts';
import type { HelpDeskApi } from './api.ts';
import type { HelpDeskAccess } from './help-desk.ts';
import { helpDeskOrganizations } from './organizations.ts';
import { read } from './records.ts';

const text = z.string().check(z.minLength(1));
const name = z.catch(z.nullish(z.string()), null);
const agent = z.object({ firstName: name, lastName: name, emailId: text });

/** Reads the organizations of the help desk, and the agent with whose rights a token acts. */
export const helpDeskIdentity = (api: HelpDeskApi) => ({
  /**
   * Reads who consented: the organizations, then the agent in the first of them (GET /api/v1/myinfo).
   * @param access needs no organization
   * @returns undefined if the help desk did not name an organization; without `user` if it did not name the person
   */
  async read(access: HelpDeskAccess): Promise<ConsentIdentity | undefined> {
    const answer = await helpDeskOrganizations(api).list(access);
    const [first] = answer.kind === 'found' ? answer.organizations : [];
    if (answer.kind !== 'found' || !first) return undefined;
    const organizations = answer.organizations.map(({ id, name }) => ({ id, name: shown(name) }));
    const me = await read(api, { ...access, orgId: first.id }, { path: '/api/v1/myinfo' }, agent);
    const user = me.kind === 'read' ? me.value : undefined;
    return {
      organizations,
      ...(user && {
        user: { name: shown(`${user.firstName ?? ''} ${user.lastName ?? ''}`), email: shown(user.emailId) },
      }),
    };
  },
});
