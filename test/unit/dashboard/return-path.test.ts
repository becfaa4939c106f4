import fc from 'fast-check';
import { safeReturnPath, signInPath } from '../../../dashboard/app/url/return-path.ts';

describe('the page after the sign-in', () => {
  it.each(['/', '/settings/members', '/settings/audit?action=member.invited&from=2026-11-01', '/account#password'])(
    'is %s',
    (path) => expect(safeReturnPath(path)).toBe(path),
  );

  it.each([
    undefined,
    42,
    '',
    'settings',
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    'javascript:alert(1)',
    '/..//evil.example',
    '/./\\evil.example',
    '/sign-in',
    '/sign-in/reset?to=/sign-in',
    '/api/oauth/crm-b/callback',
    '/v1/calls',
  ])('is the home page instead of %j', (path) => expect(safeReturnPath(path)).toBe('/'));

  it('is never outside the dashboard', () => {
    const origin = 'https://dashboard.example';
    const nasty = fc.array(fc.constantFrom('/', '\\', '.', ':', '@', '\t', '\n', 'x', '%2f', '?', '#', 'http:'), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.webUrl(),
          nasty.map((parts) => `/${parts.join('')}`),
        ),
        (to) => {
          expect(new URL(safeReturnPath(to), origin).origin).toBe(origin);
        },
      ),
    );
  });

  it('is not in the address of the sign-in if it is the first page', () => {
    expect(signInPath('/')).toBe('/sign-in');
    expect(signInPath('/settings/audit?actor=a&to=b')).toBe('/sign-in?to=%2Fsettings%2Faudit%3Factor%3Da%26to%3Db');
  });
});
