import type { PendingConsent } from '../../../../shared/domain/connections/access/pending-consent.ts';
import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import { endExpiredConsents } from '../../../../shared/operations/connections/end-expired-consents.ts';
import { aConnection, aGrant } from '../../support/worlds/items.ts';
import { aWorld, START } from '../../support/worlds/world.ts';
import { worldThatDies } from '../../support/worlds/world-that-dies.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;

const identity = {
  organizations: [{ id: 'A', name: 'Acme' }],
  user: { name: 'Meera', email: 'meera@acme.example' },
};
const hoursAfter = (hours: number) => new Date(Date.parse(START) + hours * HOUR * 1000).toISOString();

/** A consent of this moment, whose refresh token has this name. */
const aConsent = (token: string, connectionId = 'conn_1', over: Partial<PendingConsent> = {}): PendingConsent => ({
  id: `pending-${token}`,
  grant: aGrant({ id: `grant-${token}`, refresh_token: `${connectionId}:${token}`, identity }),
  access: { version: 1, token: `${connectionId}:access`, expires_at: hoursAfter(1) },
  begun_by: { kind: 'operator', name: 'asha' },
  at: START,
  expires_at: hoursAfter(1),
  ...over,
});

/** Connections with consents, and the accounts server. */
function aVendor(...stored: Connection[]) {
  const connections = stored.length > 0 ? stored : [aConnection({ pending_consent: aConsent('stranger') })];
  const world = aWorld({ connections });
  const revoked: string[] = [];
  const server = { isDown: false };
  const deps = {
    ...world.common,
    accounts: world.outside({
      revoke: async (_server: string, token: string) => {
        if (!server.isDown) revoked.push(token);
        return !server.isDown;
      },
    }),
    sleep: () => new Promise<never>(() => undefined),
    timeLeftMs: () => 60_000,
    random: () => 0,
  };
  const row = (id = 'conn_1') => world.find('connections', { connection_id: id }) as Connection;
  return Object.assign(world, {
    deps,
    revoked,
    server,
    row,
    end: () => endExpiredConsents(deps),
    /** The audit log without the values that tell two entries apart. */
    audited: () => world.auditEntries().map(({ action, actor, thing, after }) => ({ action, actor, thing, after })),
  });
}

/** A vendor some time after the consent. */
function later(seconds: number, ...stored: Connection[]) {
  const world = aVendor(...stored);
  world.pass(seconds);
  return world;
}

const ended = (revocation: string) => ({
  action: 'connection.consent_expired',
  actor: { kind: 'service', name: 'check-connections' },
  thing: { id: 'conn_1', name: 'crm-b' },
  after: {
    data_center: 'in',
    consented_organization: 'A (Acme)',
    consented_user: 'meera@acme.example',
    revocation,
  },
});

describe('an expired consent', () => {
  it('is revoked at the vendor and removed, with one audit entry of the service', async () => {
    const world = later(2 * HOUR);
    expect(await world.end()).toEqual({ looked_at: 1, ended: 1, not_revoked: 0, failed: 0, complete: true });
    expect([world.row(), world.revoked, world.audited()]).toEqual([aConnection(), ['stranger'], [ended('revoked')]]);
    expect(await world.end()).toMatchObject({ ended: 0 });
    expect([world.revoked, world.audited()]).toEqual([['stranger'], [ended('revoked')]]);
  });

  it('of the help desk ends in the same way', async () => {
    const world = later(2 * HOUR, aConnection({ type: 'help-desk', pending_consent: aConsent('stranger') }));
    expect(await world.end()).toMatchObject({ ended: 1 });
    expect([world.row(), world.revoked]).toEqual([aConnection({ type: 'help-desk' }), ['stranger']]);
  });

  it('leaves the grant of its connection as it is', async () => {
    const connected = aConnection({ grant: aGrant(), known_organizations: identity.organizations });
    const world = later(2 * HOUR, { ...connected, pending_consent: aConsent('stranger') });
    await world.end();
    expect([world.row(), world.revoked]).toEqual([connected, ['stranger']]);
  });

  it('is only removed if the grant has the same refresh token', async () => {
    const connected = aConnection({ grant: aGrant() });
    const world = later(2 * HOUR, { ...connected, pending_consent: aConsent('refresh-1') });
    expect(await world.end()).toMatchObject({ ended: 1, not_revoked: 0 });
    expect([world.row(), world.revoked, world.audited()]).toEqual([connected, [], [ended('in_use')]]);
  });

  it('is not revoked while the token of the grant cannot be read, because it may be the same', async () => {
    const connected = aConnection({ grant: aGrant({ refresh_token: 'unreadable' }) });
    const world = later(2 * HOUR, { ...connected, pending_consent: aConsent('refresh-1') });
    expect(await world.end()).toMatchObject({ ended: 0, not_revoked: 1 });
    expect([world.row().pending_consent?.id, world.revoked]).toEqual(['pending-refresh-1', []]);
  });

  it('does not end a consent that replaces it at the same moment', async () => {
    const world = later(2 * HOUR);
    const next = aConsent('next', 'conn_1', { at: hoursAfter(2), expires_at: hoursAfter(3) });
    world.beforeNextWrite(() => world.put('connections', aConnection({ pending_consent: next })));
    expect(await world.end()).toMatchObject({ ended: 0, failed: 0 });
    expect([world.row().pending_consent, world.audited()]).toEqual([next, []]);
    expect(world.revoked).not.toContain('next');
  });

  it('ends in the next run, wherever the process dies', async () => {
    for await (const [world, cut] of worldThatDies(
      () => later(2 * HOUR),
      (each) => each.end(),
    )) {
      await world.end();
      expect({ cut, row: world.row(), audited: world.audited() }).toEqual({
        cut,
        row: aConnection(),
        audited: [ended('revoked')],
      });
      expect(world.revoked).toContain('stranger');
    }
  });
});

describe('a consent that may still be confirmed', () => {
  it.each([
    ['before its hour is over', HOUR - MINUTE],
    ['while a confirmation of the last moment may be under way', HOUR + MINUTE],
  ])('stays %s', async (_when, seconds) => {
    const world = later(seconds);
    expect(await world.end()).toEqual({ looked_at: 1, ended: 0, not_revoked: 0, failed: 0, complete: true });
    expect([world.row().pending_consent?.id, world.revoked, world.audited()]).toEqual(['pending-stranger', [], []]);
  });
});

describe('while the accounts server does not answer', () => {
  it('an expired consent stays sealed, and is revoked once the server answers', async () => {
    const world = later(2 * HOUR);
    world.server.isDown = true;
    for (let hour = 0; hour < 6; hour += 1) {
      expect(await world.end()).toMatchObject({ ended: 0, not_revoked: 1, failed: 0 });
      world.pass(HOUR);
    }
    expect([world.row().pending_consent?.id, world.audited()]).toEqual(['pending-stranger', []]);
    expect(world.logged[0]).toMatchObject({
      message: 'an expired consent could not be revoked',
      connection_id: 'conn_1',
      reason: 'the next run tries again',
    });
    world.server.isDown = false;
    expect(await world.end()).toMatchObject({ ended: 1, not_revoked: 0 });
    expect([world.row(), world.revoked, world.audited()]).toEqual([aConnection(), ['stranger'], [ended('revoked')]]);
  });

  it('the token is removed within a day of the consent, by runs of every hour', async () => {
    for (const minutes of [0, 1, 29, 59]) {
      const world = later(minutes * MINUTE);
      world.server.isDown = true;
      let hours = 0;
      for (; world.row().pending_consent; hours += 1) {
        await world.end();
        world.pass(HOUR);
      }
      // The time of the last run.
      const kept = minutes * MINUTE + (hours - 1) * HOUR;
      expect([minutes, kept > 22 * HOUR, kept <= 24 * HOUR]).toEqual([minutes, true, true]);
      expect([world.revoked, world.audited()]).toEqual([[], [ended('not_revoked')]]);
      expect(world.logged.at(-1)).toMatchObject({ reason: 'its token is removed' });
    }
  });
});

describe('many connections', () => {
  const ids = Array.from({ length: 45 }, (_, index) => `conn_${index + 1}`);
  const many = () =>
    later(
      2 * HOUR,
      ...ids.map((id) => aConnection({ connection_id: id, org_id: id, pending_consent: aConsent(id, id) })),
    );

  it('each end their consent, even if the work on another one fails', async () => {
    const world = many();
    let gets = 0;
    world.hooks.before = (operation) => {
      if (operation === 'Get') gets += 1;
      if (operation === 'Get' && gets === 3) throw new Error('throttled');
    };
    expect(await world.end()).toEqual({ looked_at: 45, ended: 44, not_revoked: 0, failed: 1, complete: true });
    expect(world.logged).toEqual([
      { message: 'an expired consent could not be ended', connection_id: expect.any(String), reason: 'throttled' },
    ]);
    expect(await world.end()).toMatchObject({ ended: 1, failed: 0 });
  });

  it('wait for the next run, which begins with them, if time runs out', async () => {
    const world = many();
    let left = 30;
    const some = { ...world.deps, timeLeftMs: () => (left-- > 0 ? 60_000 : 0) };
    expect(await endExpiredConsents(some)).toEqual({
      ...{ looked_at: 30, ended: 30, not_revoked: 0, failed: 0, complete: false },
    });
    expect(await world.end()).toMatchObject({ ended: 15, complete: true });
  });
});
