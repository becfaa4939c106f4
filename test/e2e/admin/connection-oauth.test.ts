import { defaultClient } from '../../../local/simulators/zoho-accounts/model.ts';
import type { OauthType } from '../../../shared/domain/connections/access/consent.ts';
import { crmBScopes, crmBScopesFor } from '../../../shared/domain/connections/access/oauth-scopes.ts';
import { connectionHealth } from '../../../shared/domain/connections/connection-health.ts';
import { isWebhookToken } from '../../../shared/domain/connections/deliveries/webhook-token.ts';
import { putSecret } from '../../../shared/stores/secrets.ts';
import { cliFed, done, refusals, refused } from '../../support/admin/cli.ts';
import {
  aCrmBConnection,
  anUnconnected,
  callBack,
  connectsOften,
  consentAs,
  consentTo,
} from '../../support/connections/crm-b.ts';
import { channelsOf, connectionNow, expectOneChannel } from '../../support/connections/watch-channels.ts';
import { aConnection } from '../../support/leads/leads.ts';
import { crmB, environment, named, secrets } from '../../support/stack/stack.ts';

const of = (verb: string, connectionId: string) => ['connection', verb, '--connection', connectionId];

/** Delivers a notification with this token. @returns the HTTP status. */
async function deliver(connectionId: string, token: string): Promise<number> {
  const { status } = await fetch(`${environment.base_url}/api/webhooks/crm-b/${connectionId}`, {
    method: 'POST',
    body: JSON.stringify({ module: 'Leads', operation: 'delete', ids: ['1'], token }),
    signal: AbortSignal.timeout(120_000),
  });
  return status;
}

beforeEach(async () => {
  await crmB.reset();
  await crmB.settings(connectsOften);
});

describe('admin connection authorize-url', () => {
  const client = { client_id: defaultClient.id, client_secret: defaultClient.secret };
  const erasing = { erase_records: true };

  it.each([
    ['crm-b', {}, crmBScopes],
    ['crm-b', { settings: erasing }, crmBScopesFor({ settings: erasing })],
    ['help-desk', {}, 'HB.basic.READ,HB.contacts.READ,HB.tickets.ALL,HB.settings.READ,HB.search.READ'],
  ] as const)('shows the address of a consent that connects %s %j', async (type, settings, scopes) => {
    const { connection_id } = (await anUnconnected(type, settings)).connection;
    const { url, ...rest } = await done(...of('authorize-url', connection_id));
    expect(rest).toEqual({});
    expect(new URL(url).origin).toBe(environment.simulators.crm_b_accounts);
    expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
      client_id: client.client_id,
      response_type: 'code',
      redirect_uri: `${environment.base_url}/api/oauth/${type}/callback`,
      scope: scopes,
      access_type: 'offline',
      prompt: 'consent',
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    const { result } = await callBack(await consentTo(url));
    expect(result.connected).toBe(connection_id);
    const { health } = await done(...of('show', connection_id));
    expect(health.reason).not.toBe('disconnected');
  });

  it('accepts every data center that has a client', async () => {
    const { connection_id } = (await anUnconnected('crm-b')).connection;
    const inDataCenter = (name: string) => [...of('authorize-url', connection_id), '--data-center', name];
    expect(await refused(...inDataCenter('eu'))).toMatchObject({
      error: 'client_not_set',
      message: expect.stringContaining('--data-center eu'),
    });
    try {
      const eu = JSON.stringify({ client_id: 'eu-client', client_secret: 'x' });
      await cliFed(eu, 'secret', 'set', '--name', 'crm-b-oauth', '--data-center', 'eu');
      const { url } = await done(...inDataCenter('eu'));
      expect(new URL(url).searchParams.get('client_id')).toBe('eu-client');
    } finally {
      await putSecret(secrets, named.secret('crm-b-oauth'), JSON.stringify({ in: client }));
    }
  });
});

describe('a pending consent', () => {
  const waiting = async (connection_id: string) => {
    const { url } = await done(...of('authorize-url', connection_id), '--confirm', 'on');
    return (await callBack(await consentTo(url))).result;
  };

  it('connects by admin connection confirm, but not to another organization, and ends by admin connection refuse', async () => {
    const { connection_id } = (await anUnconnected('crm-b')).connection;
    expect(await waiting(connection_id)).toEqual({ pending: connection_id });
    expect(await done(...of('show', connection_id))).toMatchObject({
      health: { status: 'not_connected' },
      pending_consent: {
        organizations: [{ id: '554000000000001', name: 'main' }],
        user: { name: 'Asha Rao', email: 'asha@example.com' },
        instead_of: null,
      },
    });
    const confirm = [...of('confirm', connection_id), '--organization'];
    expect(await refused(...confirm, '1')).toMatchObject({ error: 'wrong_organization' });
    expect(await done(...confirm, '554000000000001')).toMatchObject({
      consented: { user: { email: 'asha@example.com' } },
      pending_consent: null,
      health: { status: 'healthy' },
    });

    await crmB.user('999', { name: 'Mallory', email: 'mallory@example.com', org: 'Strangers' });
    await crmB.settings({ consentUser: '999' });
    const { url } = await done(...of('authorize-url', connection_id));
    expect((await callBack(await consentTo(url))).result).toEqual({ pending: connection_id });
    const { pending_consent: stranger } = await done(...of('show', connection_id));
    expect(stranger).toMatchObject({ organizations: [{ name: 'Strangers' }], instead_of: [{ name: 'main' }] });
    expect(await refused(...confirm, stranger.organizations[0].id)).toMatchObject({ error: 'another_organization' });
    const alive = async () => (await crmB.grants()).filter(({ revoked }) => !revoked).map(({ userId }) => userId);
    expect((await alive()).sort()).toEqual(['554000000000101', '999']);
    expect(await done(...of('refuse', connection_id))).toMatchObject({
      consented: { user: { email: 'asha@example.com' } },
      health: { status: 'healthy' },
    });
    expect(await alive()).toEqual(['554000000000101']);
    expect(await refused(...of('refuse', connection_id))).toMatchObject({ error: 'no_pending_consent' });
  });

  it('connects a help desk', async () => {
    const { connection_id } = (await anUnconnected('help-desk')).connection;
    await waiting(connection_id);
    const { pending_consent: pending } = await done(...of('show', connection_id));
    const organization = ['--organization', pending.organizations[0].id];
    expect(await done(...of('confirm', connection_id), ...organization)).toMatchObject({
      consented: { user: { email: 'asha@example.com' } },
      settings: { orgId: pending.organizations[0].id },
      pending_consent: null,
    });
  });
});

describe('admin connection rotate-token on crm-b', () => {
  it('arms a new channel with a new token that is not shown, and rejects the old token at once', async () => {
    const connected = await aCrmBConnection();
    const { connectionId } = connected;
    const before = await expectOneChannel(connected);
    expect(await deliver(connectionId, before.token)).toBe(200);

    const answer = await done(...of('rotate-token', connectionId));
    const after = await expectOneChannel(connected);
    expect(after.channel.id).not.toBe(before.channel.id);
    expect(answer).toMatchObject({ connection_id: connectionId, health: { channel_expiry: after.channel.expires_at } });
    expect(JSON.stringify(answer)).not.toContain(after.token);
    expect(answer).not.toHaveProperty('token');
    expect(await deliver(connectionId, before.token)).toBe(401);
    expect(await deliver(connectionId, after.token)).toBe(200);
  });

  it('leaves the channel and its token unchanged if the CRM refuses', async () => {
    const connected = await aCrmBConnection();
    const before = await expectOneChannel(connected);
    await crmB.fault({ route: 'POST /crm/v8/actions/watch', kind: 'item-error', error: 'LIMIT_REACHED', status: 202 });
    expect(await refused(...of('rotate-token', connected.connectionId))).toMatchObject({
      error: 'channel_not_armed',
      message: expect.stringContaining('LIMIT_REACHED'),
    });
    expect((await expectOneChannel(connected)).token).toBe(before.token);
  });

  it('is refused if the connection is not connected or has no token, as is a consent for crm-a', async () => {
    const connectionOf = async (type: OauthType) => (await anUnconnected(type)).connection.connection_id;
    expect(
      await refusals([
        of('rotate-token', await connectionOf('crm-b')),
        of('rotate-token', await connectionOf('help-desk')),
        of('authorize-url', (await aConnection()).connection.connection_id),
      ]),
    ).toEqual(['not_connected', 'invalid_value', 'invalid_value']);
  });
});

describe('admin connection disconnect', () => {
  it('deletes the channel and the grant at CRM-B, and all their data in the connection', async () => {
    const connected = await aCrmBConnection({ settings: { exclude_sunday: true } });
    const { connectionId } = connected;
    const { token } = await expectOneChannel(connected);
    const answer = await done(...of('disconnect', connectionId));
    expect(answer).toMatchObject({
      connection_id: connectionId,
      provider: { channel: 'stopped', grant: 'revoked' },
      health: { status: 'not_connected', reason: 'disconnected', channel_expiry: null },
      settings: { exclude_sunday: true },
    });
    expect(await channelsOf(connected)).toEqual([]);
    expect((await crmB.grants()).filter(({ revoked }) => !revoked)).toEqual([]);
    const connection = await connectionNow(connected);
    expect(Object.keys(connection).sort()).toEqual([
      'assistant_id',
      'auto_call',
      'connection_id',
      'created_at',
      'known_organizations',
      'org_id',
      'revision',
      'settings',
      'trigger_owner_user_id',
      'type',
      'updated_at',
      'updated_by',
    ]);
    expect(isWebhookToken(token, connection.token_hash)).toBe(false);
    expect(await deliver(connectionId, token)).toBe(401);

    expect(await done(...of('disconnect', connectionId))).toMatchObject({
      provider: { channel: 'none', grant: 'none' },
    });
    expect(await consentAs(connection)).toEqual({ connected: connectionId });
    await expectOneChannel(connected);
    expect(connectionHealth(await connectionNow(connected)).status).toBe('healthy');
  });
});
