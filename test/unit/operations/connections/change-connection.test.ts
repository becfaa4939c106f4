import type { PendingConsent } from '../../../../shared/domain/connections/access/pending-consent.ts';
import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import { hashWebhookToken } from '../../../../shared/domain/connections/deliveries/webhook-token.ts';
import { connectionIdFor } from '../../../../shared/domain/ids.ts';
import type { Actor, AuditEntry } from '../../../../shared/domain/organizations/audit/audit-entry.ts';
import { createConnection, type NewConnection } from '../../../../shared/operations/connections/create-connection.ts';
import { disconnectConnection } from '../../../../shared/operations/connections/disconnect-connection.ts';
import type { ListedOrganizations } from '../../../../shared/operations/connections/list-organizations.ts';
import { armingWith, replaceToken } from '../../../../shared/operations/connections/replace-token.ts';
import { endConsent } from '../../../../shared/operations/connections/steps/end-consent.ts';
import { type ConnectionEdit, updateConnection } from '../../../../shared/operations/connections/update-connection.ts';
import { aWatchedConnection } from '../../support/watched-connection.ts';
import { aConnection, aGrant, anAssistant, ORG } from '../../support/worlds/items.ts';
import { aWorld, START } from '../../support/worlds/world.ts';

const never = (): never => {
  throw new Error('not for a connection without a grant');
};

const admin: Actor = { kind: 'member', user_id: 'user-1', email: 'priya@example.com' };
const granted = [
  { id: '60001', name: 'Flats' },
  { id: '60002', name: 'Rentals' },
];

function connections(...stored: Connection[]) {
  const world = aWorld({ connections: stored, assistants: [anAssistant()] });
  let listed: ListedOrganizations = { kind: 'listed', organizations: granted };
  const deps = {
    ...world.common,
    listOrganizations: async () => listed,
  };
  const now = () => world.all('connections')[0] as Connection;
  return Object.assign(world, {
    deps,
    connection: now,
    audited: () => world.auditEntries() as AuditEntry[],
    create: (wanted: Partial<NewConnection>) =>
      createConnection(deps, admin, { org_id: ORG, type: 'crm-b', auto_call: true, ...wanted }),
    edit: (edit: ConnectionEdit, revision?: number) => updateConnection(deps, admin, now(), edit, revision),
    answer: (next: ListedOrganizations) => {
      listed = next;
    },
  });
}

describe('creating a connection', () => {
  it('returns the token of CRM-A once, stores only its hash, and is audited without it', async () => {
    const { create, connection, audited } = connections();
    const created = await create({ type: 'crm-a' });
    if (created.kind !== 'created' || !created.token) throw new Error(created.kind);
    expect(connection()).toEqual(created.connection);
    expect(connection()).toMatchObject({
      connection_id: connectionIdFor(ORG, 'crm-a'),
      token_hash: hashWebhookToken(created.token),
      revision: 1,
      updated_at: START,
      updated_by: 'priya@example.com',
    });
    expect(audited()).toMatchObject([
      { action: 'connection.created', actor: admin, thing: { name: 'crm-a' }, after: { auto_call: true } },
    ]);
    for (const secret of [created.token, hashWebhookToken(created.token)])
      expect(JSON.stringify(audited())).not.toContain(secret);
  });

  it('lets a connection wait for its consent without a token; a help desk needs its department first', async () => {
    const { create } = connections();
    expect(await create({ type: 'help-desk' })).toMatchObject({ kind: 'created', token: undefined });
    const issues = [{ path: 'departmentId', message: 'is required' }];
    expect(await create({ type: 'help-desk', settings: {} })).toEqual({ kind: 'invalid_settings', issues });
  });

  it('is refused a second time, or with an assistant of another organization, without a write or an audit entry', async () => {
    const { create, put, audited, all } = connections(aConnection({ connection_id: connectionIdFor(ORG, 'crm-b') }));
    put('assistants', anAssistant({ assistant_id: 'asst_2', org_id: 'other' }));
    expect(await create({})).toEqual({ kind: 'connection_exists' });
    expect(await create({ type: 'crm-a', assistant_id: 'asst_2' })).toEqual({ kind: 'assistant_wrong_org' });
    expect(await create({ type: 'crm-a', assistant_id: 'none' })).toEqual({ kind: 'assistant_not_found' });
    expect([audited(), all('connections')]).toEqual([[], [expect.anything()]]);
  });
});

describe('changing a connection', () => {
  it.each(['crm-a', 'crm-b'] as const)(
    'remembers when auto-call of %s was off, also from the beginning',
    async (type) => {
      const { create, edit, connection, pass } = connections();
      await create({ type, auto_call: false });
      pass(60);
      await edit({ assistant_id: 'asst_1' });
      pass(60);
      await edit({ auto_call: true });
      expect(connection().off_times).toEqual([{ from: START, to: '2026-03-02T06:02:00.000Z' }]);
    },
  );

  it('stores named settings, removes null ones, and audits exactly these changes', async () => {
    const stored = aConnection({
      trigger_owner_user_id: 'owner-1',
      assistant_id: 'asst_1',
      settings: { exclude_sunday: true, disposition_value: 'RNR' },
    });
    const { edit, connection, audited } = connections(stored);
    const settings = { exclude_sunday: null, call_window_start: '09:00' };
    expect(await edit({ auto_call: false, assistant_id: null, settings })).toMatchObject({ kind: 'updated' });
    expect(connection()).toEqual({
      ...aConnection({ auto_call: false, trigger_owner_user_id: 'owner-1' }),
      settings: { disposition_value: 'RNR', call_window_start: '09:00' },
      off_times: [{ from: START }],
      revision: 1,
      updated_at: START,
      updated_by: 'priya@example.com',
    });
    expect(audited()).toMatchObject([
      {
        action: 'connection.updated',
        thing: { id: 'conn_1', name: 'crm-b' },
        before: { auto_call: true, assistant_id: 'asst_1', exclude_sunday: true },
        after: { auto_call: false, call_window_start: '09:00' },
      },
    ]);
  });

  it('writes no item if no value changes', async () => {
    const { edit, connection, audited } = connections(aConnection({ revision: 3 }));
    expect(await edit({ auto_call: true, settings: {} }, 3)).toMatchObject({ kind: 'updated' });
    expect([connection().revision, audited()]).toEqual([3, []]);
  });

  it('is refused to the second of two people; without a revision it is merged into the first change', async () => {
    const { edit, connection } = connections(aConnection({ revision: 1, settings: { exclude_sunday: true } }));
    const [one, other] = [edit({ auto_call: false }, 1), edit({ settings: { call_window_start: '10:00' } }, 1)];
    expect([(await one).kind, (await other).kind].sort()).toEqual(['changed_meanwhile', 'updated']);
    await Promise.all([edit({ auto_call: false }), edit({ settings: { call_window_end: '20:00' } })]);
    expect(connection()).toMatchObject({
      auto_call: false,
      settings: { exclude_sunday: true, call_window_end: '20:00' },
    });
  });

  it('keeps the organization that the service chose in between', async () => {
    const { edit, connection, beforeNextWrite, put } = connections(
      aConnection({ type: 'help-desk', settings: { departmentId: '1' }, revision: 1 }),
    );
    beforeNextWrite(() => put('connections', { ...connection(), settings: { departmentId: '1', orgId: '60001' } }));
    expect((await edit({ settings: { tags: ['voice'] } }, 1)).kind).toBe('updated');
    expect(connection().settings).toEqual({ departmentId: '1', orgId: '60001', tags: ['voice'] });
  });

  it('accepts only organizations of the grant, and stores them', async () => {
    const stored = aConnection({ type: 'help-desk', settings: { departmentId: '1' }, grant: aGrant() });
    const { edit, connection, answer } = connections(stored);
    expect(await edit({ settings: { orgId: '7' } })).toEqual({
      kind: 'invalid_settings',
      issues: [
        { path: 'orgId', message: 'must be an organization that the grant may use: 60001 (Flats), 60002 (Rentals)' },
      ],
    });
    expect((await edit({ settings: { orgId: '60002' } })).kind).toBe('updated');
    expect(connection()).toMatchObject({ settings: { orgId: '60002' }, grant: { organizations: granted } });
    answer({ kind: 'unavailable', reason: 'status 500' });
    expect(await edit({ settings: { tags: ['voice'] } })).not.toHaveProperty('unlisted');
  });

  it('stores the change and reports that the help desk does not answer', async () => {
    const stored = aConnection({ type: 'help-desk', settings: { departmentId: '1' }, grant: aGrant() });
    const { edit, connection, answer } = connections(stored);
    answer({ kind: 'unavailable', reason: 'status 500' });
    expect(await edit({ settings: { tags: ['voice'] } })).toMatchObject({ kind: 'updated', unlisted: 'status 500' });
    expect(connection().settings).toMatchObject({ tags: ['voice'] });
  });
});

describe('replacing the token', () => {
  it('of CRM-A ends the old one, connects a disconnected one again, and is audited without a value', async () => {
    const { deps, connection, audited } = connections(aConnection({ type: 'crm-a', token_hash: 'old' }));
    const ways = { ...deps, armChannel: async () => false, endConsent: async () => undefined };
    const replaced = await replaceToken(ways, admin, connection());
    if (replaced.kind !== 'replaced') throw new Error(replaced.kind);
    expect(connection()).toMatchObject({
      token_hash: hashWebhookToken(replaced.token ?? ''),
      token_replaced_at: deps.now().toISOString(),
    });
    await disconnectConnection(ways, admin, connection());
    expect(connection()).not.toHaveProperty('token_hash');
    await disconnectConnection(ways, admin, connection());
    await replaceToken(ways, admin, connection());
    expect(audited().map(({ action }) => action)).toEqual([
      'connection.token_replaced',
      'connection.disconnected',
      'connection.token_replaced',
    ]);
    expect(audited().flatMap(({ before, after }) => [before, after])).toEqual(Array(6).fill(undefined));
  });

  it('of CRM-B is audited if and only if the new channel is armed', async () => {
    const world = aWatchedConnection({});
    const audited = () => world.auditEntries().map(({ action }) => action);
    const deps = { ...world.common, armChannel: armingWith(world.deps) };
    world.answers.set('arm', { kind: 'refused', reason: 'LIMIT_REACHED' });
    expect(await replaceToken(deps, admin, world.row())).toEqual({ kind: 'channel_not_armed' });
    expect(audited()).toEqual([]);
    world.answers.clear();
    expect(await replaceToken(deps, admin, world.row())).toEqual({ kind: 'replaced', token: undefined });
    expect(audited()).toEqual(['connection.token_replaced']);
  });

  it('is refused without a consent, and for a help desk', async () => {
    const { deps } = connections();
    const ways = { ...deps, armChannel: async () => true };
    expect(await replaceToken(ways, admin, aConnection())).toEqual({ kind: 'not_connected' });
    expect(await replaceToken(ways, admin, aConnection({ type: 'help-desk' }))).toEqual({ kind: 'no_token' });
  });
});

describe('disconnecting CRM-B', () => {
  it('is audited once, in the transaction that removes the grant', async () => {
    const world = aWatchedConnection({});
    const deps = {
      ...world.deps,
      ...world.common,
      accounts: { revoke: async () => true },
    };
    const ways = {
      ...deps,
      endConsent: (...ended: [Connection, Parameters<typeof endConsent>[2]]) => endConsent(deps, ...ended),
    };
    const provider = { channel: 'none', grant: 'revoked' };
    expect(await disconnectConnection(ways, admin, world.row())).toEqual({ kind: 'disconnected', provider });
    const again = { channel: 'none', grant: 'none' };
    expect(await disconnectConnection(ways, admin, world.row())).toEqual({ kind: 'disconnected', provider: again });
    expect(world.row()).not.toHaveProperty('grant');
    expect(world.auditEntries()).toHaveLength(1);
  });

  it('is audited if it ends only a consent that waits, and revokes the one that has replaced it meanwhile', async () => {
    const pending = (number: number): PendingConsent => ({
      id: `pending-${number}`,
      grant: aGrant({ id: `grant-${number}`, refresh_token: `conn_1:refresh-${number}` }),
      access: { version: 1, token: `conn_1:access-${number}`, expires_at: START },
      ...{ begun_by: admin, at: START, expires_at: START },
    });
    const world = connections(aConnection({ pending_consent: pending(1) }));
    const revoked: string[] = [];
    const deps = {
      ...world.common,
      ...{
        channels: world.stores.channels,
        watch: { list: never, stop: never },
        accessTo: never,
        warn: () => undefined,
      },
      sleep: () => new Promise<never>(() => undefined),
      accounts: {
        revoke: async (_server: string, token: string) => {
          revoked.push(token);
          return true;
        },
      },
    };
    const ways = {
      ...deps,
      endConsent: (...ended: [Connection, Parameters<typeof endConsent>[2]]) => endConsent(deps, ...ended),
    };
    world.beforeNextWrite(() => world.put('connections', { ...world.connection(), pending_consent: pending(2) }));
    const provider = { channel: 'none', grant: 'none' };
    expect(await disconnectConnection(ways, admin, world.connection())).toEqual({ kind: 'disconnected', provider });
    expect([revoked, world.connection()]).toEqual([['refresh-1', 'refresh-2'], aConnection()]);
    expect(world.audited().map(({ action }) => action)).toEqual(['connection.disconnected']);
    await disconnectConnection(ways, admin, world.connection());
    expect(world.audited()).toHaveLength(1);
  });
});
