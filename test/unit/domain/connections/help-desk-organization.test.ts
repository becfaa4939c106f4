import fc from 'fast-check';
import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import { connectionHealth } from '../../../../shared/domain/connections/connection-health.ts';
import {
  organizationOf,
  settingsWithOnlyOrganization,
  unlisted,
} from '../../../../shared/domain/connections/help-desk-organization.ts';
import { forAll } from '../../../support/values/for-all.ts';
import { aConnection, aGrant } from '../../support/worlds/items.ts';

const own = { id: '60001', name: 'Zylker' };
const other = { id: '60002', name: 'Zylker Homes' };

const organizations = fc.option(
  fc.uniqueArray(fc.constantFrom('1', '2', '3'), { maxLength: 3 }).map((ids) => ids.map((id) => ({ id, name: id }))),
  { nil: undefined },
);
const orgId = fc.option(fc.constantFrom('1', '2', '3', '4'), { nil: undefined });
const settingsWith = (chosen: string | undefined) => ({ departmentId: '7', ...(chosen && { orgId: chosen }) });
const grantWith = (listed: { id: string; name: string }[] | undefined) => aGrant(listed && { organizations: listed });

describe('the organization of a help-desk connection', () => {
  it('is chosen if and only if the setting belongs to the present grant', () => {
    forAll([organizations, orgId], (listed, set) => {
      const choice = organizationOf({ settings: settingsWith(set), grant: grantWith(listed) });
      const isAmong = listed?.some(({ id }) => id === set) ?? false;
      expect(choice.kind).toBe(listed === undefined ? 'not_asked' : isAmong ? 'chosen' : 'not_chosen');
      if (choice.kind === 'chosen') expect(choice.orgId).toBe(set);
    });
  });

  it('is set automatically only if it is the only one, and never replaces another', () => {
    forAll([organizations, orgId], (listed = [], set) => {
      const settings = settingsWith(set);
      const next = settingsWithOnlyOrganization({ settings }, listed);
      expect(next).toEqual(
        listed.length === 1 && set === undefined ? { ...settings, orgId: listed[0]?.id } : undefined,
      );
    });
    expect(settingsWithOnlyOrganization({}, [own])).toEqual({ orgId: own.id });
  });

  it('is explained with instructions if there are several or none', () => {
    const reasonOf = (set: string | undefined, ...listed: { id: string; name: string }[]) => {
      const choice = organizationOf({ settings: settingsWith(set), grant: grantWith(listed) });
      return choice.kind === 'not_chosen' ? choice.reason : choice.kind;
    };
    expect(reasonOf(undefined, own, other)).toBe(
      `no organization is chosen: connection update --settings '{"orgId": …}', one of 60001 (Zylker), 60002 (Zylker Homes)`,
    );
    expect(reasonOf('59999', own)).toMatch(/^the organization 59999 is not the grant's: .* one of 60001 \(Zylker\)$/);
    expect(reasonOf('59999')).toMatch(/^the person who consented has no organization at the help desk/);
    expect(unlisted('status 500')).toBe(
      'The help desk did not list its organizations (status 500): the next ticket tries again.',
    );
  });
});

describe('the health of a help-desk connection', () => {
  const healthOf = (over: Partial<Connection>) =>
    connectionHealth(
      aConnection({ type: 'help-desk', settings: settingsWith(own.id), grant: grantWith([own]), ...over }),
    );

  it.each<[string, RegExp | null, Partial<Connection>]>([
    ['healthy', null, {}],
    ['not_connected', /^disconnected$/, { grant: undefined }],
    ['needs_reconnect', /^gone$/, { reconnect_needed: { at: '2026-03-02T06:00:00.000Z', reason: 'gone' } }],
    ['unhealthy', /^no department is set: .*departmentId/, { settings: { orgId: own.id } }],
    ['unhealthy', /^no department is set/, { settings: undefined }],
    ['unhealthy', /^no organization is chosen/, { settings: { departmentId: '7' } }],
    ['unhealthy', /^the organization 60002 is not the grant's/, { settings: settingsWith(other.id) }],
    ['unhealthy', /^its organizations are not known/, { grant: aGrant() }],
  ])('is %s (%s) for %j', (status, reason, over) => {
    expect(healthOf(over)).toEqual({ status, reason: reason && expect.stringMatching(reason) });
  });
});
