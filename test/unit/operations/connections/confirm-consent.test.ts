import { decideRecord } from '../../../../shared/domain/after-call/erasure/erased-record.ts';
import type { ConsentIdentity } from '../../../../shared/domain/connections/access/consent-identity.ts';
import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import { isOfFormerConsent } from '../../../../shared/domain/connections/deliveries/watch-channel.ts';
import type { Actor } from '../../../../shared/domain/organizations/audit/audit-entry.ts';
import type { TokenOutcome } from '../../../../shared/integrations/zoho-accounts/accounts.ts';
import { type BegunConsent, beginConsent } from '../../../../shared/operations/connections/begin-consent.ts';
import { completeConsent } from '../../../../shared/operations/connections/complete-consent.ts';
import { type Confirmation, confirmConsent } from '../../../../shared/operations/connections/confirm-consent.ts';
import { refuseConsent } from '../../../../shared/operations/connections/refuse-consent.ts';
import { connectionTo } from '../../support/erasure/person.ts';
import { connectionWorld } from '../../support/worlds/connection-world.ts';
import { aConnection, aGrant, ORG } from '../../support/worlds/items.ts';

const HOUR = 3_600;
const priya: Actor = { kind: 'member', user_id: 'user-1', email: 'priya@example.com' };
const ravi: Actor = { kind: 'member', user_id: 'user-2', email: 'ravi@example.com' };
const operator: Actor = { kind: 'operator', name: 'asha' };

const identityOf = (organization: string): ConsentIdentity => ({
  organizations: [{ id: organization, name: `Company ${organization}` }],
  user: { name: 'Meera', email: `meera@${organization}.example` },
});

/** A connection, and a vendor where anyone can consent for the CRM of their own organization. */
function aVendor(stored = aConnection()) {
  const world = connectionWorld(stored);
  const revoked: string[] = [];
  const armed: string[] = [];
  /** The signals that end the waits for the vendor. */
  const waits: (AbortSignal | undefined)[] = [];
  const state = { tokens: 0, isSilent: false, refreshToken: undefined as string | undefined };
  const deps = {
    ...world.common,
    accounts: {
      exchange: async (_server: string, _client: object, { code }: { code: string }): Promise<TokenOutcome> => {
        state.tokens += 1;
        const refreshToken = state.refreshToken ?? `refresh-${code}-${state.tokens}`;
        const apiDomain = 'https://www.zohoapis.in';
        return { kind: 'granted', accessToken: `access-${code}`, refreshToken, apiDomain, expiresInSeconds: HOUR };
      },
      revoke: async (_server: string, token: string) => {
        revoked.push(token);
        return true;
      },
    },
    readIdentity: async (_grant: object, accessToken: string) =>
      state.isSilent ? undefined : identityOf(accessToken.replace('access-', '')),
    clientOf: async () => ({ client_id: 'id', client_secret: 's' }),
    hosts: {},
    scopes: 'a',
    publicUrl: 'https://calls.example',
    sleep: (_milliseconds: number, signal?: AbortSignal) => {
      waits.push(signal);
      return new Promise<never>(() => undefined);
    },
    armChannel: async (connectionId: string) => {
      armed.push((await world.common.connections.get(connectionId))?.grant?.identity?.organizations[0]?.id ?? '?');
      return true;
    },
  };
  const row = () => world.table.connection as Connection;
  const begin = async (begun: Partial<BegunConsent> = {}) => {
    const url = await beginConsent(deps, { connection_id: 'conn_1', org_id: ORG, type: 'crm-b' }, 'in', {
      actor: priya,
      connects: 'when_confirmed',
      browserHash: 'browser-1',
      ...begun,
    });
    return new URL(url ?? '').searchParams.get('state') ?? '';
  };
  /** Lets a person open the address and consent for an organization. */
  const open = (name: string, organization: string) =>
    completeConsent(deps, 'crm-b', { state: name, code: organization, error: undefined, accountsServer: undefined });
  const consent = async (organization: string, begun: Partial<BegunConsent> = {}) =>
    open(await begin(begun), organization);
  const confirm = (organizationId: string, over: Partial<Confirmation> = {}, connection = row()) =>
    confirmConsent(deps, connection, {
      by: priya,
      consentId: connection.pending_consent?.id ?? '',
      organizationId,
      isOtherMeant: false,
      browserHash: 'browser-1',
      ...over,
    });
  const refuse = () => refuseConsent(deps, row(), { by: priya, consentId: row().pending_consent?.id });
  const actions = () => world.auditEntries().map(({ action }) => action);
  return Object.assign(world, {
    deps,
    state,
    revoked,
    armed,
    waits,
    row,
    begin,
    open,
    consent,
    confirm,
    refuse,
    actions,
  });
}

/** A connection of organization A, connected and confirmed. */
async function connectedToA() {
  const world = aVendor();
  await world.consent('A');
  await world.confirm('A');
  world.armed.length = 0;
  return world;
}

describe('a pending consent', () => {
  it('connects no system, and is shown with the organization and the person', async () => {
    const { consent, row, armed } = aVendor();
    expect(await consent('A')).toEqual({ kind: 'pending', connectionId: 'conn_1' });
    const { pending_consent, ...rest } = row();
    expect([rest, armed]).toEqual([aConnection(), []]);
    expect(pending_consent).toMatchObject({ begun_by: priya, grant: { identity: identityOf('A') } });
    expect(pending_consent?.grant.refresh_token).toBe('conn_1:refresh-A-1');
  });

  it('connects once it is confirmed', async () => {
    const { consent, confirm, row, armed, actions } = aVendor();
    await consent('A');
    expect(await confirm('A')).toEqual({ kind: 'connected', connectionId: 'conn_1', channel: 'armed' });
    expect(row()).toMatchObject({
      grant: { refresh_token: 'conn_1:refresh-A-1', identity: identityOf('A') },
      access: { token: 'conn_1:access-A' },
      known_organizations: identityOf('A').organizations,
    });
    expect(row()).not.toHaveProperty('pending_consent');
    expect([armed, actions()]).toEqual([
      ['A'],
      ['connection.consent_begun', 'connection.consent_pending', 'connection.connected'],
    ]);
  });

  it('leaves the connection unchanged until it is confirmed, and then replaces its grant', async () => {
    const { consent, confirm, row, revoked } = await connectedToA();
    const { grant } = row();
    await consent('A');
    expect([row().grant, revoked]).toEqual([grant, []]);
    expect(await confirm('A')).toMatchObject({ kind: 'connected' });
    expect(revoked).toEqual(['refresh-A-1']);
  });

  it('leaves no timer behind, so that the command that confirms or refuses it exits at once', async () => {
    const { consent, confirm, refuse, waits } = await connectedToA();
    waits.length = 0;
    await consent('A');
    await confirm('A');
    await consent('B');
    // The wait for the identity belongs to the callback.
    const ofCallbacks = waits.filter((signal) => !signal).length;
    await refuse();
    expect([ofCallbacks, waits.length, waits.filter((signal) => signal?.aborted).length]).toEqual([2, 5, 3]);
  });

  it('is revoked at the vendor when it is refused, and the connection is unchanged', async () => {
    const { consent, refuse, row, revoked, actions } = await connectedToA();
    const before = row();
    await consent('B');
    expect(await refuse()).toEqual({ isRevoked: true });
    expect([row(), revoked, actions().at(-1)]).toEqual([before, ['refresh-B-2'], 'connection.consent_refused']);
    expect(await refuse()).toBeUndefined();
  });

  it('does not end the present grant when it is refused, if the vendor issued the same refresh token again', async () => {
    const { consent, refuse, state, revoked } = await connectedToA();
    state.refreshToken = 'refresh-A-1';
    await consent('A');
    expect(await refuse()).toEqual({ isRevoked: false });
    expect(revoked).toEqual([]);
  });

  it('is replaced and revoked by a later consent', async () => {
    const { consent, confirm, row, revoked } = aVendor();
    await consent('B');
    const first = row();
    await consent('A');
    expect(revoked).toEqual(['refresh-B-1']);
    expect(await confirm('B', {}, first)).toEqual({ kind: 'no_pending_consent' });
    expect(await confirm('A')).toMatchObject({ kind: 'connected' });
  });

  it('ends after an hour', async () => {
    const { consent, confirm, pass, row } = aVendor();
    await consent('A');
    pass(HOUR);
    expect(await confirm('A')).toEqual({ kind: 'no_pending_consent' });
    expect(row()).not.toHaveProperty('grant');
  });

  it('is confirmed once, even by two concurrent confirmations', async () => {
    const { consent, confirm, armed, revoked, actions } = aVendor();
    await consent('A');
    const results = await Promise.all([confirm('A'), confirm('A')]);
    expect(results.map(({ kind }) => kind).sort()).toEqual(['connected', 'no_pending_consent']);
    expect([armed, revoked]).toEqual([['A'], []]);
    expect(actions().filter((action) => action === 'connection.connected')).toHaveLength(1);
  });

  it('is not confirmed if it is refused at the same time', async () => {
    const { consent, confirm, row, table, beforeNextWrite } = aVendor();
    await consent('A');
    beforeNextWrite(() => {
      const { pending_consent: _, ...rest } = row();
      table.connection = rest;
    });
    expect(await confirm('A')).toEqual({ kind: 'no_pending_consent' });
    expect(row()).toEqual(aConnection());
  });

  it('is not confirmed until the person is known, and the confirmation reads the person again', async () => {
    const { consent, confirm, state, row } = aVendor();
    state.isSilent = true;
    await consent('A');
    expect(await confirm('A')).toEqual({ kind: 'identity_unknown' });
    state.isSilent = false;
    expect(await confirm('A')).toEqual({ kind: 'identity_unknown' });
    expect(row()).toMatchObject({ pending_consent: { grant: { identity: identityOf('A') } } });
    expect(row()).not.toHaveProperty('grant');
    expect(await confirm('A')).toMatchObject({ kind: 'connected' });
  });
});

describe('a stranger', () => {
  it('who opens a stolen address first connects no system, and invalidates it', async () => {
    const { begin, open, row, confirm, refuse, revoked } = aVendor();
    const name = await begin();
    expect(await open(name, 'STRANGER')).toMatchObject({ kind: 'pending' });
    expect(await open(name, 'A')).toEqual({ kind: 'invalid_state' });
    // The person who began it sees the stranger's organization, and confirms at most their own one.
    expect(await confirm('A')).toEqual({ kind: 'wrong_organization' });
    await refuse();
    expect([row(), revoked]).toEqual([aConnection(), ['refresh-STRANGER-1']]);
  });

  it('who got the address by mistake connects no system, and the connection is unchanged', async () => {
    const world = await connectedToA();
    const before = world.row();
    expect(await world.consent('STRANGER')).toMatchObject({ kind: 'pending' });
    expect(world.row().grant).toEqual(before.grant);
    // Even a person who confirms without reading gets a second question.
    expect(await world.confirm('STRANGER')).toMatchObject({ kind: 'another_organization' });
    world.pass(HOUR);
    expect(await world.confirm('STRANGER', { isOtherMeant: true })).toEqual({ kind: 'no_pending_consent' });
    expect([world.row().grant, world.armed]).toEqual([before.grant, []]);
  });

  it.each<[string, Partial<Confirmation>, string]>([
    ['another member', { by: ravi }, 'begun_elsewhere'],
    ['another browser of the same member', { browserHash: 'browser-2' }, 'begun_elsewhere'],
    ['a browser without the cookie', { browserHash: undefined }, 'begun_elsewhere'],
    ['a person who guesses the consent', { consentId: 'x' }, 'no_pending_consent'],
    ['a person who names another organization', { organizationId: 'B' }, 'wrong_organization'],
  ])('cannot confirm a pending consent: %s', async (_who, over, kind) => {
    const { consent, confirm, row } = aVendor();
    await consent('A');
    expect(await confirm('A', over)).toEqual({ kind });
    expect(row()).not.toHaveProperty('grant');
    expect(row()).toHaveProperty('pending_consent');
  });

  it('cannot confirm a consent that the command line has begun', async () => {
    const { consent, confirm } = aVendor();
    await consent('A', { actor: operator });
    expect(await confirm('A')).toEqual({ kind: 'begun_elsewhere' });
    expect(await confirm('A', { by: operator, browserHash: undefined })).toMatchObject({ kind: 'connected' });
  });

  it('cannot have a consent confirmed for another connection', async () => {
    const world = aVendor();
    await world.consent('A');
    const other = aConnection({ connection_id: 'conn_2', org_id: 'org2' });
    world.put('connections', other);
    const consentId = world.row().pending_consent?.id ?? '';
    expect(await world.confirm('A', { consentId }, other)).toEqual({ kind: 'no_pending_consent' });
    // A copy under another connection cannot be decrypted, because the tokens are sealed for their own connection.
    const forged = { ...other, pending_consent: world.row().pending_consent } as Connection;
    expect(await world.confirm('A', {}, forged)).toEqual({ kind: 'no_pending_consent' });
    expect(world.find('connections', other)).toEqual(other);
  });
});

describe('another organization than before', () => {
  it('needs an explicit confirmation', async () => {
    const { consent, confirm, row, revoked } = await connectedToA();
    await consent('B');
    expect(await confirm('B')).toEqual({ kind: 'another_organization' });
    expect(row().grant?.identity).toEqual(identityOf('A'));
    expect(await confirm('B', { isOtherMeant: true })).toMatchObject({ kind: 'connected' });
    expect([row().grant?.identity, revoked]).toEqual([identityOf('B'), ['refresh-A-1']]);
  });

  it('begins at its confirmation, because records and channels of the hour before belong to the former one', async () => {
    const world = await connectedToA();
    await world.consent('B');
    world.pass(HOUR / 2);
    const armed_at = world.now;
    world.table.connection = { ...world.row(), channel: { id: '1', armed_at, expires_at: armed_at } };
    const connection = () => connectionTo('crm-b', { ...world.row(), settings: { erase_records: true } });
    const written = { system: 'crm-b', record: 'note', at: armed_at } as const;
    world.pass(60);
    await world.confirm('B', { isOtherMeant: true });
    expect(decideRecord(written, connection())).toMatchObject({
      outcome: 'kept',
      reason: expect.stringMatching(/another organization/),
    });
    // A worker that read the former grant may write for up to a minute after the confirmation.
    const later = (seconds: number) => new Date(world.ms + seconds * 1000).toISOString();
    expect(decideRecord({ ...written, at: later(60) }, connection())).toMatchObject({ outcome: 'kept' });
    expect(decideRecord({ ...written, at: later(90) }, connection())).toBe('remove');
    expect(isOfFormerConsent(world.row())).toBe(true);
    expect(world.row()).toMatchObject({ organization_since: world.now, grant: { granted_at: world.now } });
  });

  it('needs a confirmation after a disconnect, too', async () => {
    const { consent, confirm, stores, row, common } = await connectedToA();
    await common.transact({ connection: stores.channels.disconnecting(row()) });
    await consent('B');
    expect(await confirm('B')).toEqual({ kind: 'another_organization' });
  });

  it.each([
    ['another organization', 'B', false],
    ['an organization that cannot be read', 'A', true],
  ])(
    'needs a confirmation even if the consent was begun to connect at the callback: %s',
    async (_what, organization, isSilent) => {
      const { consent, confirm, state, row } = await connectedToA();
      const { grant } = row();
      state.isSilent = isSilent;
      expect(await consent(organization, { connects: 'at_callback' })).toMatchObject({ kind: 'pending' });
      expect(row().grant).toEqual(grant);
      expect(await confirm(organization)).not.toMatchObject({ kind: 'connected' });
    },
  );

  it('is noticed at the moment of the confirmation', async () => {
    const { consent, confirm, row, table, beforeNextWrite } = aVendor();
    await consent('B');
    // The connection gets another organization after the confirmation has read it.
    beforeNextWrite(() => {
      table.connection = {
        ...row(),
        grant: aGrant({ id: 'grant-A' }),
        known_organizations: identityOf('A').organizations,
      };
    });
    expect(await confirm('B')).toEqual({ kind: 'no_pending_consent' });
    expect(row().grant?.id).toBe('grant-A');
  });
});

describe('the same organization, or the first one', () => {
  it('connects at the callback, without a confirmation, if the consent was begun for that', async () => {
    const { consent, armed, row, revoked } = aVendor();
    expect(await consent('A', { connects: 'at_callback' })).toMatchObject({ kind: 'connected', channel: 'armed' });
    expect(await consent('A', { connects: 'at_callback' })).toMatchObject({ kind: 'connected' });
    expect([armed, row().grant?.identity, revoked]).toEqual([['A', 'A'], identityOf('A'), ['refresh-A-1']]);
    expect(row()).not.toHaveProperty('organization_since');
  });

  it('connects even if the remote system does not say who consented', async () => {
    const { consent, state, row } = aVendor();
    state.isSilent = true;
    expect(await consent('A', { connects: 'at_callback' })).toMatchObject({ kind: 'connected' });
    expect(row()).not.toHaveProperty('known_organizations');
  });

  it('ends and revokes a pending consent', async () => {
    const { consent, row, revoked } = aVendor();
    await consent('B');
    await consent('A', { connects: 'at_callback' });
    expect([row().pending_consent, revoked]).toEqual([undefined, ['refresh-B-1']]);
  });
});
