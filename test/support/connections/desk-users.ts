import { randomUUID } from 'node:crypto';
import { crmB, helpDesk } from '../stack/stack.ts';

type Desk = { id: string; companyName: string; isAccessible?: boolean };

/** An organization of the help desk, as a user sees it. */
export const desk = (id: string, companyName: string, more: { isAccessible?: boolean } = {}): Desk => ({
  id,
  companyName,
  ...more,
});

/** Creates a consenting user who belongs to exactly these organizations. @returns the user's id */
export async function aDeskUser(...desks: Desk[]): Promise<string> {
  const user = randomUUID();
  await crmB.user(user, { name: 'Asha Patil', email: 'asha@example.com', org: 'Zylker' });
  for (const { id, ...organization } of desks) await helpDesk.organization(id, { ...organization, users: [user] });
  return user;
}
