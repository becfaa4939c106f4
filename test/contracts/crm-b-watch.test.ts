import { newWebhookToken } from '../../shared/domain/connections/deliveries/webhook-token.ts';
import type { CrmBAccess } from '../../shared/integrations/crm-b/api.ts';
import { crmBWatch } from '../../shared/integrations/crm-b/watch.ts';
import { api, apiFor, startCrmBWithAccess, unreachable } from './support/crm-b.ts';

const { accessWith, accessWithout, begin, control, end, moveClock, tokenWith } = await startCrmBWithAccess();

const watch = crmBWatch(api);
const DAY = 86_400;
const notifyUrl = 'http://127.0.0.1:9/api/webhooks/crm-b/conn_1';
const ID = '1795289000000123';
const OTHER_ID = '1795289000000124';
const inDays = (days: number) => new Date(Date.now() + days * DAY * 1000);
/** Converts to whole seconds, as CRM-B does. */
const toTheSecond = (at: Date) => `${at.toISOString().slice(0, 19)}.000Z`;
const armedUntil = (at: Date) => ({ kind: 'armed', expires_at: toTheSecond(at) });

let access: CrmBAccess;

beforeEach(async () => {
  await begin();
  // The tests skip days without a refresh.
  await control.settings({ accessTokenSeconds: 30 * DAY });
  access = accessWith(await tokenWith('ZohoCRM.modules.ALL', 'ZohoCRM.notifications.ALL'));
});

afterAll(end);

const arm = (id = ID, more: { token?: string; expiresAt?: Date } = {}) =>
  watch.arm(access, { id, token: newWebhookToken(), notifyUrl, expiresAt: inDays(6), ...more });

describe('a watch channel', () => {
  it('is armed for new and edited leads, without related records, with our token', async () => {
    const token = newWebhookToken();
    const expiresAt = inDays(6);
    expect(await arm(ID, { token, expiresAt })).toEqual(armedUntil(expiresAt));
    expect(await control.channels()).toEqual([
      expect.objectContaining({
        channelId: ID,
        module: 'Leads',
        events: ['create', 'edit'],
        token,
        notifyUrl,
        relatedActions: false,
      }),
    ]);
  });

  it.each(['+00:00', '-11:00', '+14:00', '+05:30'])(
    'has an expiry that is read correctly in an account at %s',
    async (offset) => {
      await control.settings({ offset });
      const expiresAt = inDays(6);
      expect(await arm(ID, { expiresAt })).toEqual(armedUntil(expiresAt));
      expect(await watch.list(access)).toMatchObject({ channels: [{ expires_at: toTheSecond(expiresAt) }] });
    },
  );

  it('has the expiry that the CRM set, not the requested one', async () => {
    const armed = await arm(ID, { expiresAt: inDays(8) });
    if (armed.kind !== 'armed') throw new Error(armed.kind);
    expect((Date.parse(armed.expires_at) - Date.now()) / 1000).toBeCloseTo(3600, -2);
  });

  it('is listed with all data that shows whether it delivers', async () => {
    expect(await watch.list(access)).toEqual({ kind: 'listed', channels: [] });
    const expiresAt = inDays(6);
    await arm(ID, { expiresAt });
    await arm(OTHER_ID);
    const other = expect.objectContaining({ id: OTHER_ID });
    const listed = { id: ID, expires_at: toTheSecond(expiresAt), notify_url: notifyUrl, isComplete: true };
    expect(await watch.list(access)).toEqual({ kind: 'listed', channels: [listed, other] });
    expect(await watch.list(access, OTHER_ID)).toEqual({ kind: 'listed', channels: [other] });
    expect(await watch.list(access, '1795289000000125')).toEqual({ kind: 'listed', channels: [] });
  });

  it('is renewed with its own token', async () => {
    const token = newWebhookToken();
    await arm(ID, { token });
    moveClock(3 * DAY);
    const expiresAt = inDays(9);
    expect(await watch.renew(access, { id: ID, notifyUrl, expiresAt })).toEqual(armedUntil(expiresAt));
    expect(await control.channels()).toMatchObject([
      { channelId: ID, token, events: ['create', 'edit'], relatedActions: false },
    ]);
  });

  it('is gone after its expiry: it is not listed and cannot be renewed or stopped', async () => {
    await arm();
    moveClock(6 * DAY + 1);
    expect(await watch.list(access)).toEqual({ kind: 'listed', channels: [] });
    expect(await watch.renew(access, { id: ID, notifyUrl, expiresAt: inDays(12) })).toEqual({ kind: 'gone' });
    expect(await watch.stop(access, ID)).toEqual({ kind: 'gone' });
  });

  it('is stopped without affecting other channels', async () => {
    await arm();
    await arm(OTHER_ID);
    expect(await watch.stop(access, ID)).toEqual({ kind: 'stopped' });
    expect((await control.channels()).map(({ channelId }) => channelId)).toEqual([OTHER_ID]);
  });

  it.each([202, 207, 400] as const)('is not armed if the CRM refuses it on a %d', async (itemErrorStatus) => {
    await control.settings({ itemErrorStatus });
    expect(await arm(ID, { token: 't'.repeat(51) })).toEqual({ kind: 'refused', reason: 'INVALID_DATA' });
    expect(await control.channels()).toEqual([]);
  });
});

type Request = (to: CrmBAccess, client?: typeof watch) => Promise<unknown>;
const requests: [method: string, request: Request][] = [
  ['POST', (to, client = watch) => client.arm(to, { id: ID, token: 't', notifyUrl, expiresAt: inDays(6) })],
  ['PATCH', (to, client = watch) => client.renew(to, { id: ID, notifyUrl, expiresAt: inDays(6) })],
  ['DELETE', (to, client = watch) => client.stop(to, ID)],
  ['GET', (to, client = watch) => client.list(to)],
];

describe.each(requests)('a %s of a channel', (method, request) => {
  const route = `${method} /crm/v8/actions/watch`;

  it.each([
    { kind: 'too-many-requests', outcome: 'unavailable' },
    { kind: 'hang', outcome: 'unknown' },
    { kind: 'server-error', outcome: 'unknown' },
  ] as const)('is $outcome after the fault $kind', async ({ kind, outcome }) => {
    await control.fault({ route, kind });
    expect(await request(access, crmBWatch(apiFor({ kind })))).toMatchObject({ kind: outcome });
  });

  it('is not sent if the CRM cannot be reached', async () => {
    expect(await request(unreachable)).toMatchObject({ kind: 'unavailable' });
  });

  it.each(['unavailable', 'reconnect_needed'] as const)('says why there is no access token: %s', async (kind) => {
    const noToken = { kind, reason: 'no token' };
    expect(await request(accessWithout(noToken))).toEqual(noToken);
  });

  it("is refused without the scope, with the CRM's error", async () => {
    const poor = accessWith(await tokenWith('ZohoCRM.modules.ALL'));
    expect(await request(poor)).toEqual({ kind: 'refused', reason: 'OAUTH_SCOPE_MISMATCH' });
  });
});

it.each(requests.slice(0, 3))('a %s of a channel is refused by an item error on a 2xx', async (method, request) => {
  await arm();
  const route = `${method} /crm/v8/actions/watch`;
  await control.fault({ route, kind: 'item-error', error: 'LIMIT_REACHED', status: 202 });
  expect(await request(access)).toEqual({ kind: 'refused', reason: 'LIMIT_REACHED' });
});
