import { ApiError } from '../../../dashboard/app/api-error.ts';
import { refusal, refusalToChange, refusalToGive, wayOn } from '../../../dashboard/app/rights.ts';
import { comparedRights } from '../../../dashboard/words/compared-rights.ts';
import { hasRightsOf, mayDecideAbout, type Role, roles } from '../../../shared/domain/organizations/member.ts';
import { dashboardRoutes } from '../../../shared/messages/dashboard/routes.ts';

const me = (role: Role) => ({
  role,
  user_id: 'me',
  admins: [
    { name: 'Priya', email: '' },
    { name: 'Asha', email: '' },
  ],
});
const someone = (role: Role, user_id: string = role) => ({ role, user_id });

describe('what a role may not do', () => {
  it.each(Object.entries(dashboardRoutes))('%s says why to exactly the roles that the API refuses', (_, route) => {
    for (const role of roles) {
      const isAllowed = route.role === 'none' || hasRightsOf(role, route.role);
      expect(refusal(me(role), route) === undefined).toBe(isAllowed);
    }
  });

  it('names whom to ask', () => {
    expect(refusal(me('viewer'), { role: 'admin' })).toBe('Only admins and owners may do this. Ask Priya or Asha.');
  });

  it('gives roles as the API does', () => {
    for (const mine of roles)
      for (const role of roles) expect(refusalToGive(me(mine), role) === undefined).toBe(mayDecideAbout(mine, role));
  });

  it('lets only owners decide about owners, and the last one stay', () => {
    const two = [someone('owner', 'a'), someone('owner', 'b')];
    expect(refusalToChange(me('admin'), someone('owner'), two, true)).toBe('Only owners decide about owners.');
    expect(refusalToChange(me('owner'), someone('owner', 'a'), two, true)).toBeUndefined();
    expect(refusalToChange(me('owner'), someone('owner', 'a'), two.slice(1), true)).toMatch(/last owner/);
    // More owners may be on the pages that are not loaded yet; the API has the last word.
    expect(refusalToChange(me('owner'), someone('owner', 'a'), two.slice(1), false)).toBeUndefined();
    expect(refusalToChange(me('member'), someone('viewer'), [], true)).toMatch(/admins/);
    expect(refusalToChange(me('admin'), someone('viewer'), [], true)).toBeUndefined();
  });
});

describe('the table of rights', () => {
  it('names each route that not everybody may use, once, with its role', () => {
    const told = comparedRights.flatMap(({ from, routes }) => routes.map((name) => `${name}: ${from}`));
    const limited = Object.entries(dashboardRoutes).filter(([, { role }]) => !['none', 'viewer'].includes(role));
    expect(told.sort()).toEqual(limited.map(([name, { role }]) => `${name}: ${role}`).sort());
  });
});

describe('the way on after a refusal', () => {
  const refused = new ApiError({ status: 403, code: 'not_permitted' });

  it('names whom to ask, as a disabled button does', () => {
    expect(wayOn(refused, me('viewer'))).toBe('Ask Priya or Asha.');
    expect(wayOn(refused, undefined)).toBe('Ask an admin of your organization.');
    expect(wayOn(new ApiError({ status: 404, code: 'not_found' }), me('viewer'))).toBe('Check the address.');
  });
});
