import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crmBControl } from '../../local/simulators/crm-b/control.ts';
import { startCrmBSimulator } from '../../local/simulators/crm-b/server.ts';
import { defaultClient } from '../../local/simulators/zoho-accounts/model.ts';
import { newWebhookToken } from '../../shared/domain/connections/webhook-token.ts';
import { type CrmBAccess, crmBApi } from '../../shared/integrations/crm-b/api.ts';
import { crmBWatch } from '../../shared/integrations/crm-b/watch.ts';
import { aToken } from '../support/access-token.ts';

const directory = mkdtempSync(join(tmpdir(), 'crm-b-watch-'));
const clockFile = join(directory, 'clock');
const moveClock = (seconds: number) => writeFileSync(clockFile, String(seconds));
const simulator = await startCrmBSimulator({ clockFile });
const control = crmBControl(simulator.url);
const watch = crmBWatch(crmBApi({ timeoutMs: 2_000 }));

const DAY = 86_400;
const ROUTE = '/crm/v8/actions/watch';
const notifyUrl = 'http://127.0.0.1:9/api/webhooks/crm-b/conn_1';
const ID = '1795289000000123';
const inDays = (days: number) => new Date(Date.now() + days * DAY * 1000);
/** Converts to whole seconds, as CRM-B does. */
const toTheSecond = (at: Date) => `${at.toISOString().slice(0, 19)}.000Z`;

let access: CrmBAccess;

beforeEach(async () => {
  moveClock(0);
  await control.reset();
  // The tests skip days without a refresh.
  await control.settings({ accessTokenSeconds: 30 * DAY });
  const scopes = ['ZohoCRM.modules.ALL', 'ZohoCRM.notifications.ALL'];
  const { accessToken } = await control.grant({ clientId: defaultClient.id, scopes });
  access = { apiDomain: simulator.url, token: async () => aToken(accessToken) };
});

afterAll(async () => {
  await simulator.stop();
  rmSync(directory, { recursive: true });
});

const arm = (id = ID, more: { token?: string; expiresAt?: Date; notifyUrl?: string } = {}) =>
  watch.arm(access, { id, token: newWebhookToken(), notifyUrl, expiresAt: inDays(6), ...more });
const unreachable = (): CrmBAccess => ({ apiDomain: 'http://127.0.0.1:9', token: async () => aToken('x') });

/** All requests about a channel. */
const questions = {
  arm: (to: CrmBAccess) => watch.arm(to, { id: ID, token: 't', notifyUrl, expiresAt: inDays(6) }),
  renew: (to: CrmBAccess) => watch.renew(to, { id: ID, notifyUrl, expiresAt: inDays(6) }),
  list: (to: CrmBAccess) => watch.list(to),
  stop: (to: CrmBAccess) => watch.stop(to, ID),
};
const methods = { arm: 'POST', renew: 'PATCH', list: 'GET', stop: 'DELETE' } as const;
const names = Object.keys(questions) as (keyof typeof questions)[];

describe('a watch channel', () => {
  test('is armed for new and edited leads, without related records, with our token', async () => {
    const token = newWebhookToken();
    const expiresAt = inDays(6);
    expect(await arm(ID, { token, expiresAt })).toEqual({ kind: 'armed', expires_at: toTheSecond(expiresAt) });
    const [channel, ...others] = await control.channels();
    expect(others).toEqual([]);
    expect(channel).toMatchObject({
      channelId: ID,
      module: 'Leads',
      events: ['create', 'edit'],
      token,
      notifyUrl,
      relatedActions: false,
    });
  });

  test.each(['+00:00', '-11:00', '+14:00', '+05:30'])(
    'has an expiry that is read correctly in an account at %s',
    async (offset) => {
      await control.settings({ offset });
      const expiresAt = inDays(6);
      expect(await arm(ID, { expiresAt })).toEqual({ kind: 'armed', expires_at: toTheSecond(expiresAt) });
      expect(await watch.list(access)).toMatchObject({ channels: [{ expires_at: toTheSecond(expiresAt) }] });
    },
  );

  test('has the expiry that the CRM set, not the requested one', async () => {
    const armed = await arm(ID, { expiresAt: inDays(8) });
    if (armed.kind !== 'armed') throw new Error(armed.kind);
    expect((Date.parse(armed.expires_at) - Date.now()) / 1000).toBeCloseTo(3600, -2);
  });

  test('is listed with everything that shows whether it delivers', async () => {
    expect(await watch.list(access)).toEqual({ kind: 'listed', channels: [] });
    const expiresAt = inDays(6);
    await arm(ID, { expiresAt });
    await arm('1795289000000124');
    expect(await watch.list(access)).toEqual({
      kind: 'listed',
      channels: [
        { id: ID, expires_at: toTheSecond(expiresAt), notify_url: notifyUrl, isComplete: true },
        expect.objectContaining({ id: '1795289000000124' }),
      ],
    });
    expect(await watch.list(access, '1795289000000124')).toMatchObject({ channels: [{ id: '1795289000000124' }] });
    expect(await watch.list(access, '1795289000000125')).toEqual({ kind: 'listed', channels: [] });
  });

  test('is renewed with its own token', async () => {
    const token = newWebhookToken();
    await arm(ID, { token });
    moveClock(3 * DAY);
    const expiresAt = inDays(9);
    expect(await watch.renew(access, { id: ID, notifyUrl, expiresAt })).toEqual({
      kind: 'armed',
      expires_at: toTheSecond(expiresAt),
    });
    expect(await control.channels()).toMatchObject([
      { channelId: ID, token, events: ['create', 'edit'], relatedActions: false },
    ]);
  });

  test('is gone after its expiry: it is not listed and cannot be renewed or stopped', async () => {
    await arm();
    moveClock(6 * DAY + 1);
    expect(await watch.list(access)).toEqual({ kind: 'listed', channels: [] });
    expect(await watch.renew(access, { id: ID, notifyUrl, expiresAt: inDays(12) })).toEqual({ kind: 'gone' });
    expect(await watch.stop(access, ID)).toEqual({ kind: 'gone' });
  });

  test('is stopped without affecting others', async () => {
    await arm();
    await arm('1795289000000124');
    expect(await watch.stop(access, ID)).toEqual({ kind: 'stopped' });
    expect((await control.channels()).map(({ channelId }) => channelId)).toEqual(['1795289000000124']);
  });

  test.each([202, 207, 400] as const)('that is refused on a %d is not armed', async (itemErrorStatus) => {
    await control.settings({ itemErrorStatus });
    expect(await arm(ID, { token: 't'.repeat(51) })).toEqual({ kind: 'refused', reason: 'INVALID_DATA' });
    expect(await control.channels()).toEqual([]);
  });
});

describe('every request about a channel', () => {
  test.each(names)('%s: is not sent if the CRM cannot be reached', async (name) => {
    expect(await questions[name](unreachable())).toMatchObject({ kind: 'unavailable' });
  });

  test.each(names)('%s: has no effect after too many requests', async (name) => {
    await control.fault({ route: `${methods[name]} ${ROUTE}`, kind: 'too-many-requests' });
    expect(await questions[name](access)).toMatchObject({ kind: 'unavailable' });
  });

  test.each(names)('%s: has an unknown outcome if the answer never arrives', async (name) => {
    await control.fault({ route: `${methods[name]} ${ROUTE}`, kind: 'hang' });
    expect(await questions[name](access)).toMatchObject({ kind: 'unknown' });
  });

  test.each(names)('%s: has an unknown outcome after a server error', async (name) => {
    await control.fault({ route: `${methods[name]} ${ROUTE}`, kind: 'server-error' });
    expect(await questions[name](access)).toMatchObject({ kind: 'unknown' });
  });

  test.each(names)('%s: says why there is no access token', async (name) => {
    for (const kind of ['unavailable', 'reconnect_needed'] as const) {
      const noToken = { kind, reason: 'no token' };
      expect(await questions[name]({ ...access, token: async () => noToken })).toEqual(noToken);
    }
  });

  test.each(['arm', 'renew', 'stop'] as const)('%s: is refused by an item error on a 2xx', async (name) => {
    await arm();
    await control.fault({
      route: `${methods[name]} ${ROUTE}`,
      kind: 'item-error',
      error: 'LIMIT_REACHED',
      status: 202,
    });
    expect(await questions[name](access)).toEqual({ kind: 'refused', reason: 'LIMIT_REACHED' });
  });

  test("without the scope is refused with the CRM's error", async () => {
    const { accessToken } = await control.grant({ clientId: defaultClient.id, scopes: ['ZohoCRM.modules.ALL'] });
    const without = { apiDomain: simulator.url, token: async () => aToken(accessToken) };
    for (const name of names)
      expect(await questions[name](without)).toEqual({ kind: 'refused', reason: 'OAUTH_SCOPE_MISMATCH' });
  });
});
