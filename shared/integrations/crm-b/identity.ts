import * as z from 'zod/mini';
import { type ConsentIdentity, identityText as shown } from '../../domain/connections/access/consent-identity.ts';
import type { CrmBAccess, CrmBApi } from './api.ts';
import { readFrom } from './read.ts';

const text = z.string().check(z.minLength(1));
const name = z.catch(z.nullish(z.string()), null);
const id = z.string().check(z.regex(/^\d{1,20}$/));
const organizationAnswer = z.object({ org: z.array(z.object({ id, company_name: name })).check(z.minLength(1)) });
const userAnswer = z.object({ users: z.array(z.object({ full_name: name, email: text })).check(z.minLength(1)) });

/** Reads the organization of CRM-B, and the user with whose rights a token acts. */
export const crmBIdentity = (api: CrmBApi) => ({
  /**
   * Reads who consented (Zoho CRM v8, "Get organization", "Get users" of the type CurrentUser).
   * @returns undefined if CRM-B did not name the organization; without `user` if it did not name the person
   */
  async read(access: CrmBAccess): Promise<ConsentIdentity | undefined> {
    const [organization, users] = await Promise.all([
      readFrom(api, access, { method: 'GET', path: '/crm/v8/org' }),
      readFrom(api, access, { method: 'GET', path: '/crm/v8/users', query: { type: 'CurrentUser' } }),
    ]);
    const [org] =
      organization.kind === 'answered' ? (organizationAnswer.safeParse(organization.body).data?.org ?? []) : [];
    const [user] = users.kind === 'answered' ? (userAnswer.safeParse(users.body).data?.users ?? []) : [];
    return (
      org && {
        organizations: [{ id: org.id, name: shown(org.company_name ?? '') }],
        ...(user && { user: { name: shown(user.full_name ?? ''), email: shown(user.email) } }),
      }
    );
  },
});
