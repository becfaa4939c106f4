import { type Actor, auditEntrySchema } from '../../../../shared/domain/organizations/audit/audit-entry.ts';
import { allowedCountries } from '../../../../shared/domain/organizations/countries.ts';
import { whyNotAllowed } from '../../../../shared/domain/organizations/destination-rule.ts';
import { noticeRolesOf } from '../../../../shared/domain/organizations/members/notice-roles.ts';
import type { Organization } from '../../../../shared/domain/organizations/organization.ts';
import { adoptCountries } from '../../../../shared/operations/calls/adopt-countries.ts';
import {
  revealCallbackSecret,
  rotateCallbackSecret,
} from '../../../../shared/operations/organizations/callback-secret.ts';
import { readOrganizationChange } from '../../../../shared/operations/organizations/steps/read-organization-change.ts';
import {
  type OrganizationChange,
  updateOrganization,
} from '../../../../shared/operations/organizations/update-organization.ts';
import { aCall } from '../../support/call.ts';
import { anOrg, ORG } from '../../support/worlds/items.ts';
import { aWorld, START } from '../../support/worlds/world.ts';
import { worldThatDies } from '../../support/worlds/world-that-dies.ts';

const priya: Actor = { kind: 'member', user_id: 'u1', email: 'priya@example.com' };
const arun: Actor = { kind: 'member', user_id: 'u2', email: 'arun@example.com' };

function aHouse(over: Partial<Organization> = {}) {
  const world = aWorld({ organizations: [anOrg(over)] });
  const woken: string[] = [];
  let tokens = 0;
  const deps = {
    ...world.common,
    newToken: () => String(++tokens),
    handOverSlots: async ({ org_id }: { org_id: string }) => void woken.push(org_id),
    seal: async (orgId: string, secret: string) => `sealed for ${orgId}: ${secret}`,
    unseal: async (orgId: string, sealed: string) => sealed.replace(`sealed for ${orgId}: `, ''),
  };
  const stored = async () => (await world.stores.organizations.get(ORG)) as Organization;
  return {
    world,
    deps,
    woken,
    stored,
    change: (actor: Actor, change: OrganizationChange, revision?: number) =>
      updateOrganization(deps, actor, { org_id: ORG }, change, revision),
    audited: () => world.auditEntries().map((item) => auditEntrySchema.parse(item)),
  };
}

describe('a change of an organization', () => {
  it('is stored with its audit entry, which contains the differences, in credits', async () => {
    const { change, stored, audited } = aHouse();
    await change(priya, { set: { name: 'Acme', warn_below: 50_500, default_region: 'IN' } }, 0);
    expect(await stored()).toMatchObject({ name: 'Acme', warn_below: 50_500, revision: 1, updated_by: priya.email });
    expect(audited()).toMatchObject([
      { action: 'org.updated', actor: priya, before: { name: 'Demo' }, after: { name: 'Acme', warn_below: 50.5 } },
    ]);
    await change(priya, { remove: ['warn_below'] });
    expect(await stored()).not.toHaveProperty('warn_below');
  });

  it('sets the roles that get e-mails, by kind, and is in the audit log', async () => {
    const { change, stored, audited } = aHouse();
    const read = async (notices: object) => readOrganizationChange(await stored(), { notices });
    const wanted = await read({ low_credit: ['owner', 'viewer', 'owner'] });
    if (wanted.kind !== 'change') throw new Error('refused');
    await change(priya, wanted.change, 0);
    expect((await stored()).notices).toEqual({
      low_credit: ['viewer', 'owner'],
      broken_connection: ['admin', 'owner'],
    });
    expect(await read({ broken_connection: [] })).toEqual({
      kind: 'change',
      change: { set: { notices: { low_credit: ['viewer', 'owner'], broken_connection: [] } }, remove: [] },
    });
    expect(audited()).toMatchObject([
      { before: { email_low_credit: ['admin', 'owner'] }, after: { email_low_credit: ['viewer', 'owner'] } },
    ]);
  });

  it('keeps a role that a newer version stored for e-mails, although this version does not show it', async () => {
    const { change, stored } = aHouse({ notices: { low_credit: ['owner', 'newer'], broken_connection: ['newer'] } });
    expect(noticeRolesOf(await stored())).toEqual({ low_credit: ['owner'], broken_connection: [] });
    const wanted = readOrganizationChange(await stored(), { notices: { low_credit: ['viewer'] } });
    if (wanted.kind !== 'change') throw new Error('refused');
    await change(priya, wanted.change, 0);
    expect((await stored()).notices).toEqual({ low_credit: ['viewer', 'newer'], broken_connection: ['newer'] });
  });

  it('of the region keeps the former one among the countries, and a member can choose only an allowed one', async () => {
    const { change, stored, audited } = aHouse({ countries: ['US'] });
    const asMember = async (default_region: string) => readOrganizationChange(await stored(), { default_region });
    expect(await asMember('AE')).toEqual({
      kind: 'wrong',
      wrong: [{ path: 'default_region', message: 'Only your operator can allow calls to this country.' }],
    });
    const wanted = await asMember('US');
    if (wanted.kind !== 'change') throw new Error('refused');
    await change(priya, wanted.change, 0);
    expect(allowedCountries(await stored())).toEqual(['US', 'IN']);
    expect(await asMember('IN')).toMatchObject({ kind: 'change' });
    expect(audited()).toMatchObject([
      { before: { default_region: 'IN', countries: ['US'] }, after: { default_region: 'US', countries: ['US', 'IN'] } },
    ]);
  });

  it('limits an organization without a list to the countries that it has called, once', async () => {
    const { world, deps, stored, audited } = aHouse();
    const called = [
      '+919812345678',
      '+971501234567',
      '+12125550123',
      '+449012345678',
      '+971501234568',
      '+881612345678',
    ];
    for (const [index, phone_number] of called.entries())
      world.putCall(aCall({ org_id: ORG, call_id: `call_${index}`, phone_number }));
    world.putCall(aCall({ org_id: 'org2', call_id: 'call_of_another', phone_number: '+4930123456' }));
    const mayCall = (phone: string, org: Organization) => whyNotAllowed(org, phone) === undefined;
    expect(mayCall('+4930123456', await stored())).toBe(true);
    expect(await adoptCountries(deps, priya, await stored())).toMatchObject({ kind: 'adopted' });
    const org = await stored();
    expect(allowedCountries(org)).toEqual(['IN', 'AE', 'US']);
    expect(called.filter((phone) => mayCall(phone, org))).toHaveLength(4);
    expect(mayCall('+4930123456', org)).toBe(false);
    expect(await adoptCountries(deps, priya, org)).toMatchObject({ kind: 'has_countries' });
    expect(audited()).toMatchObject([{ action: 'org.updated', after: { countries: ['AE', 'US'] } }]);
  });

  it('does not replace countries that an operator sets while its calls are read', async () => {
    const { deps, change, stored } = aHouse();
    const { pageOfOrg } = deps.calls;
    const calls = {
      pageOfOrg: async (...args: Parameters<typeof pageOfOrg>) => {
        const page = await pageOfOrg(...args);
        await change(priya, { set: { countries: ['DE'] } });
        return page;
      },
    };
    expect(await adoptCountries({ ...deps, calls }, priya, await stored())).toMatchObject({
      kind: 'changed_meanwhile',
    });
    expect(allowedCountries(await stored())).toEqual(['IN', 'DE']);
  });

  it('of an outdated revision changes no value and names the person who was first', async () => {
    const { change, stored, audited } = aHouse();
    await change(priya, { set: { name: 'Hers' } }, 0);
    const late = await change(arun, { set: { name: 'His' } }, 0);
    expect(late).toMatchObject({ kind: 'changed_meanwhile', org: { updated_by: priya.email } });
    expect([(await stored()).name, audited().length]).toEqual(['Hers', 1]);
  });

  it('by the command line is merged with a concurrent one, and neither is lost', async () => {
    const { change, stored, audited } = aHouse();
    await Promise.all([
      change({ kind: 'operator', name: 'ops' }, { set: { max_live_calls: 3 } }),
      change({ kind: 'operator', name: 'ops' }, { set: { name: 'Acme' } }),
    ]);
    expect(await stored()).toMatchObject({ max_live_calls: 3, name: 'Acme', revision: 2 });
    expect(audited()).toHaveLength(2);
  });

  it('that changes no value is not recorded', async () => {
    const { change, stored, audited } = aHouse();
    await change(priya, { set: { name: 'Demo' }, remove: ['max_live_calls'] }, 0);
    expect([(await stored()).revision, audited()]).toEqual([undefined, []]);
  });

  it('notifies hand-over-slots only if it may allow calls to be dialed', async () => {
    const { change, woken } = aHouse({ suspended_at: START });
    await change(priya, { set: { name: 'Acme' } });
    expect(woken).toEqual([]);
    await change(priya, { set: { max_live_calls: 5 } });
    await change(priya, { remove: ['suspended_at'] });
    await change(priya, { set: { daily_limit: 10_000 } });
    await change(priya, { set: { voice_number_id: 'number-2' } });
    expect(woken).toEqual([ORG, ORG, ORG, ORG]);
  });

  it('has an audit entry, wherever the worker dies', async () => {
    const begin = async () => aHouse().world;
    const newToken = () => 'token';
    const act = (world: Awaited<ReturnType<typeof begin>>) =>
      updateOrganization(
        { ...world.common, newToken, handOverSlots: async () => {} },
        priya,
        { org_id: ORG },
        { set: { name: 'Acme' } },
      );
    for await (const [world, cut] of worldThatDies(begin, act, 1)) {
      const isChanged = (await world.stores.organizations.get(ORG))?.name === 'Acme';
      expect([cut, world.auditEntries().length]).toEqual([cut, isChanged ? 1 : 0]);
    }
  });

  it('of an unknown organization is refused', async () => {
    const { deps } = aHouse();
    const result = await updateOrganization(deps, priya, { org_id: 'org_unknown' }, { set: { name: 'x' } });
    expect(result).toEqual({ kind: 'org_not_found' });
  });
});

describe('a change by a member', () => {
  const org = anOrg({ max_live_calls: 10 });

  it('may lower a limit, but not raise one', () => {
    expect(readOrganizationChange(org, { max_live_calls: 10, outbound_per_minute: 1 })).toMatchObject({
      kind: 'change',
      change: { set: { max_live_calls: 10, outbound_per_minute: 1 } },
    });
    for (const change of [{ max_live_calls: 11 }, { requests_per_minute: 601 }])
      expect(readOrganizationChange(org, change)).toMatchObject({
        kind: 'wrong',
        wrong: [{ path: Object.keys(change)[0], message: expect.stringMatching(/operator.*\d/) }],
      });
  });

  it('may add a limit', () => {
    expect(readOrganizationChange(org, { max_wait_minutes: 1_440 })).toMatchObject({ kind: 'change' });
  });

  it('accepts numbers in any usual form, of the region that it names', () => {
    const read = (change: object) => readOrganizationChange(org, change);
    const platform_numbers = ['080 1234 5678', '+91 80 1234 5678'];
    expect(read({ platform_numbers })).toMatchObject({ change: { set: { platform_numbers: ['+918012345678'] } } });
    expect(read({ platform_numbers: ['04 123 4567'], default_region: 'AE' })).toMatchObject({
      change: { set: { platform_numbers: ['+97141234567'] } },
    });
    expect(read({ platform_numbers: ['080 1234 5678', 'Reception'] })).toMatchObject({
      wrong: [{ path: 'platform_numbers.1', message: '“Reception” is not a phone number.' }],
    });
    const message = 'This is not a country with phone numbers.';
    expect(read({ default_region: 'ZZ' })).toMatchObject({ wrong: [{ path: 'default_region', message }] });
  });
});

describe('the callback secret', () => {
  const secretsOf = async ({ stored }: ReturnType<typeof aHouse>) =>
    (await stored()).callback_secrets.map(({ ciphertext, until }) => [ciphertext.split(': ')[1], until]);

  it('is replaced, and the former one signs for 24 more hours', async () => {
    const house = aHouse();
    expect(await revealCallbackSecret(house.deps, priya, ORG)).toEqual({ kind: 'no_callback_secret' });
    const first = await rotateCallbackSecret(house.deps, priya, ORG);
    const second = await rotateCallbackSecret(house.deps, priya, ORG);
    if (first.kind !== 'rotated' || second.kind !== 'rotated') throw new Error('not rotated');
    expect(await secretsOf(house)).toEqual([
      [second.secret, undefined],
      [first.secret, second.former_until],
    ]);
    expect(Date.parse(second.former_until ?? '') - Date.parse(house.world.now)).toBe(86_400_000);
    house.world.pass(86_401);
    await rotateCallbackSecret(house.deps, priya, ORG);
    expect((await secretsOf(house)).map(([secret]) => secret)).not.toContain(first.secret);
    expect(await secretsOf(house)).toHaveLength(2);
  });

  it('is shown to only one of two concurrent callers', async () => {
    const house = aHouse();
    const results = await Promise.all([priya, arun].map((actor) => rotateCallbackSecret(house.deps, actor, ORG)));
    expect(results.map(({ kind }) => kind).toSorted()).toEqual(['changed_meanwhile', 'rotated']);
    expect(await secretsOf(house)).toHaveLength(1);
  });

  it('is in no audit entry, but each read and each replacement is', async () => {
    const house = aHouse();
    const rotated = await rotateCallbackSecret(house.deps, priya, ORG);
    const revealed = await revealCallbackSecret(house.deps, arun, ORG);
    if (rotated.kind !== 'rotated' || revealed.kind !== 'revealed') throw new Error('no secret');
    expect(revealed.secret).toBe(rotated.secret);
    expect(house.audited().map(({ action, actor }) => [action, actor])).toEqual([
      ['callback_secret.rotated', priya],
      ['callback_secret.revealed', arun],
    ]);
    expect(JSON.stringify(house.audited())).not.toContain(rotated.secret.slice(0, -4));
  });
});
