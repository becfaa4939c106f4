import { connectionHealth } from '../../shared/domain/connections/connection-health.ts';
import { isWebhookToken } from '../../shared/domain/connections/webhook-token.ts';
import { done, refused } from '../support/cli.ts';
import { aCrmBConnection, anUnconnected, connectsOften, consentAs } from '../support/crm-b.ts';
import { crmB, environment } from '../support/stack.ts';
import { channelsOf, connectionNow, expectOneChannel } from '../support/watch-channels.ts';

const of = (verb: string, connectionId: string) => ['connection', verb, '--connection', connectionId];

/** A delivery with this token. @returns the status. */
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

describe('connection rotate-token on crm-b', () => {
  it('arms the channel anew with a token that nobody is shown; the old one ends at once', async () => {
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

  it('that the CRM refuses leaves the channel and its token as they are', async () => {
    const connected = await aCrmBConnection();
    const before = await expectOneChannel(connected);
    await crmB.fault({ route: 'POST /crm/v8/actions/watch', kind: 'item-error', error: 'LIMIT_REACHED', status: 202 });
    expect(await refused(...of('rotate-token', connected.connectionId))).toMatchObject({
      error: 'channel_not_armed',
      message: expect.stringContaining('LIMIT_REACHED'),
    });
    expect((await expectOneChannel(connected)).token).toBe(before.token);
  });

  it('wants a connection that is connected', async () => {
    const { connection } = await anUnconnected('crm-b');
    expect(await refused(...of('rotate-token', connection.connection_id))).toMatchObject({ error: 'not_connected' });
  });

  it('is refused for the help desk, which has no token', async () => {
    const { connection } = await anUnconnected('help-desk');
    expect(await refused(...of('rotate-token', connection.connection_id))).toMatchObject({ error: 'invalid_value' });
  });
});

describe('connection disconnect', () => {
  it('of crm-b deletes the channel and the grant at the CRM, and all that the connection had of them', async () => {
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
      'org_id',
      'settings',
      'trigger_owner_user_id',
      'type',
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

  it('of crm-b takes the connection off also where the CRM does nothing of it', async () => {
    const connected = await aCrmBConnection();
    await crmB.fault({ route: 'GET /crm/v8/actions/watch', kind: 'too-many-requests' });
    await crmB.fault({ route: 'DELETE /crm/v8/actions/watch', kind: 'server-error' });
    await crmB.fault({ route: 'POST /oauth/v2/token/revoke', kind: 'server-error' });
    expect(await done(...of('disconnect', connected.connectionId))).toMatchObject({
      provider: { channel: 'not_stopped', grant: 'not_revoked' },
      health: { status: 'not_connected' },
    });
    expect(await connectionNow(connected)).not.toHaveProperty('grant');
  });

  it('of crm-b works where the grant is gone already', async () => {
    const connected = await aCrmBConnection();
    await crmB.revoke();
    expect(await done(...of('disconnect', connected.connectionId))).toMatchObject({
      provider: { channel: 'not_stopped', grant: 'revoked' },
      health: { status: 'not_connected' },
    });
  });

  it('of the help desk revokes its grant', async () => {
    const { connection } = await anUnconnected('help-desk');
    await consentAs(connection);
    expect(await connectionNow({ connectionId: connection.connection_id })).toHaveProperty('grant');
    expect(await done(...of('disconnect', connection.connection_id))).toMatchObject({
      provider: { channel: 'none', grant: 'revoked' },
      health: { status: 'not_connected' },
    });
    expect((await crmB.grants()).filter(({ revoked }) => !revoked)).toEqual([]);
  });
});
