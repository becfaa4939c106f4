import { ApiError } from '../../../dashboard/app/api/api-error.ts';
import {
  deniedReason,
  deniedReasonToChangeMember,
  deniedReasonToGiveRole,
  suggestedFix,
} from '../../../dashboard/app/session/rights.ts';
import { rightsByRole } from '../../../dashboard/words/people/rights-by-role.ts';
import { hasRightsOf, mayDecideAbout, type Role, roles } from '../../../shared/domain/organizations/members/member.ts';
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

describe('missing rights of a role', () => {
  it.each(Object.entries(dashboardRoutes))(
    '%s: a reason is shown to exactly the roles that the API refuses',
    (_, route) => {
      for (const role of roles) {
        const isAllowed = route.role === 'none' || hasRightsOf(role, route.role);
        expect(deniedReason(me(role), route) === undefined).toBe(isAllowed);
      }
    },
  );

  it('are explained with the names of the admins to contact', () => {
    expect(deniedReason(me('viewer'), { role: 'admin' })).toBe(
      'Only admins and owners may do this. Ask Priya or Asha.',
    );
  });

  it('limit the roles that a person may give, as in the API', () => {
    for (const mine of roles)
      for (const role of roles)
        expect(deniedReasonToGiveRole(me(mine), role) === undefined).toBe(mayDecideAbout(mine, role));
  });

  it('let only owners change owners, and protect the last owner', () => {
    const two = [someone('owner', 'a'), someone('owner', 'b')];
    expect(deniedReasonToChangeMember(me('admin'), someone('owner'), two, true)).toBe(
      'Only owners can change or remove owners.',
    );
    expect(deniedReasonToChangeMember(me('owner'), someone('owner', 'a'), two, true)).toBeUndefined();
    expect(deniedReasonToChangeMember(me('owner'), someone('owner', 'a'), two.slice(1), true)).toMatch(
      /needs an owner/,
    );
    // The unloaded pages may contain more owners, and the API decides.
    expect(deniedReasonToChangeMember(me('owner'), someone('owner', 'a'), two.slice(1), false)).toBeUndefined();
    expect(deniedReasonToChangeMember(me('member'), someone('viewer'), [], true)).toMatch(/admins/);
    expect(deniedReasonToChangeMember(me('admin'), someone('viewer'), [], true)).toBeUndefined();
  });
});

describe('the table of rights', () => {
  it('names each restricted route once, with its role', () => {
    const listed = rightsByRole.flatMap(({ from, routes }) => routes.map((name) => `${name}: ${from}`));
    const limited = Object.entries(dashboardRoutes).filter(([, { role }]) => !['none', 'viewer'].includes(role));
    expect(listed.sort()).toEqual(limited.map(([name, { role }]) => `${name}: ${role}`).sort());
  });
});

describe('the advice after a refusal', () => {
  const refused = new ApiError({ status: 403, code: 'not_permitted' });

  it('names the admins to contact, like a disabled button', () => {
    expect(suggestedFix(refused, me('viewer'))).toBe('Ask Priya or Asha.');
    expect(suggestedFix(refused, undefined)).toBe('Ask an admin of your organization.');
    expect(suggestedFix(new ApiError({ status: 404, code: 'not_found' }), me('viewer'))).toBe('Check the address.');
  });
});
