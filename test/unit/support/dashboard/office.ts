import { hashOfBrowser } from '../../../../shared/domain/connections/access/consent.ts';
import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import { hashApiKey } from '../../../../shared/domain/organizations/api-key.ts';
import type { AuditAction } from '../../../../shared/domain/organizations/audit/audit-entry.ts';
import type { DashboardRoute } from '../../../../shared/messages/dashboard/route.ts';
import { type DashboardRouteName, dashboardRoutes } from '../../../../shared/messages/dashboard/routes.ts';
import { aCall, aClaimedCall } from '../call.ts';
import { aConnection, aGrant, anAssistant, anOrg, ORG } from '../worlds/items.ts';
import { aWorld } from '../worlds/world.ts';
import { type Answer, type Asking, dashboardHandlers } from './handlers.ts';

export const WAITING = aCall().call_id;
const ENDED = `call_${'1'.repeat(32)}`;
const KNOWLEDGE = `kb_${'0'.repeat(24)}`;
export const BROWSER = 'b'.repeat(43);
/** A consent that u1 began in this browser. Its hosts do not answer. */
export const PENDING: NonNullable<Connection['pending_consent']> = {
  id: '0'.repeat(32),
  grant: aGrant({
    api_domain: 'http://127.0.0.1:9',
    accounts_server: 'http://127.0.0.1:9',
    identity: { organizations: [{ id: '7', name: 'Acme' }], user: { name: 'Asha', email: 'asha@example.com' } },
  }),
  access: { version: 1, token: 'sealed', expires_at: '2099-01-01T00:00:00.000Z' },
  begun_by: { kind: 'member', user_id: 'u1', email: 'u1@example.com' },
  browser_hash: hashOfBrowser(BROWSER),
  at: '2026-03-02T05:00:00.000Z',
  expires_at: '2099-01-01T00:00:00.000Z',
};
const jwt = (claims: object) => ['h', Buffer.from(JSON.stringify(claims)).toString('base64url'), 's'].join('.');

/** An organization with one item of each kind, and an owner whose token the requests carry. */
export function anOffice(failures: Record<string, () => never> = {}) {
  const people = ['u1', 'u2'].map((user_id) => ({
    ...{ user_id, org_id: ORG, email: `${user_id}@example.com`, name: user_id, role: 'owner' },
    ...{ phone: '+919812345678', created_at: '2026-01-01T00:00:00.000Z' },
  }));
  const lead = { lead_id: 'l1', phones: ['+919812345678'], do_not_call: false, fields: {} };
  const event = { event_id: 'evt_1', connection_id: 'conn_1', source: 'webhook', event: 'new_lead', test: false };
  const at = '2026-03-02T05:00:00.000Z';
  const entry = { id: KNOWLEDGE, filename: 'a.txt', path: 'k', textPreview: 'a', uploadedAt: at };
  const world = aWorld({
    organizations: [anOrg({ owners: 2, held: 10_000, callback_secrets: [{ ciphertext: 'c2VhbGVk', hint: 'abcd' }] })],
    members: people,
    assistants: [anAssistant({ knowledge_base: [entry] }), anAssistant({ assistant_id: 'asst_2' })],
    'api-keys': [
      { key_hash: hashApiKey('k'), key_id: 'key_1', org_id: ORG, name: 'k', permissions: [], created_at: at },
    ],
    'do-not-call': [{ org_id: ORG, phone: '+919812345670', added_at: at }],
    connections: [
      aConnection({ type: 'crm-a', token_hash: 'hash', assistant_id: 'asst_2' }),
      aConnection({ connection_id: 'conn_2', pending_consent: PENDING }),
    ],
    activity: [
      {
        ...{ ...event, org_id: ORG, at, outcome: 'insufficient_credits', reason: 'No credit.', payload_keys: [] },
        ...{ expires_at: 1, retryable: JSON.stringify({ ...event, at, payload_keys: [], lead }) },
      },
    ],
    callbacks: [
      {
        ...{ call_id: ENDED, webhook_id: 'wh_1', org_id: ORG, type: 'call.completed', state: 'gone', attempts: [] },
        ...{ url: 'https://client.example', body: '{}', created_at: at, expires_at: 1 },
      },
    ],
  });
  for (const call of [
    aCall(),
    aClaimedCall({ call_id: ENDED, status: 'completed', unfinished: 'ended', transcript_key: 't', held: 0 }),
  ])
    world.putCall(call);
  const handlers = dashboardHandlers(world, {
    AdminCreateUser: () => ({ User: { Attributes: [{ Name: 'sub', Value: 'u3' }] } }),
    AdminDeleteUser: () => ({}),
    AdminInitiateAuth: () => ({ AuthenticationResult: { AccessToken: jwt({ sub: 'u1' }), ExpiresIn: 600 } }),
    AdminUserGlobalSignOut: () => ({}),
    ChangePassword: () => ({}),
    ConfirmForgotPassword: () => ({}),
    GlobalSignOut: () => ({}),
    RevokeToken: () => ({}),
    GetSecretValue: () => ({ SecretString: 'key of the list' }),
    Decrypt: () => ({ Plaintext: Buffer.from('whsec_old') }),
    Encrypt: () => ({ CiphertextBlob: Buffer.from('sealed') }),
    SendMessage: () => ({}),
    SendMessageBatch: () => ({}),
    PutObject: () => ({}),
    DeleteObject: () => ({}),
    GetObject: () => ({ Body: { transformToString: async () => 'AI: Namaste.' } }),
    ...failures,
  });
  const claims = { sub: 'u1' };
  return Object.assign(world, {
    asked: handlers.asked,
    ask: (name: DashboardRouteName, asking: Asking = {}): Promise<Answer> =>
      handlers.ask(name, { ...asking, claims: dashboardRoutes[name].role === 'none' ? null : claims }),
  });
}

const upload = [
  '--b\r\nContent-Disposition: form-data; name="files"; filename="b.txt"\r\nContent-Type: text/plain\r\n\r\ntext',
  '--b--\r\n',
].join('\r\n');
export const connection = { id: 'conn_1' };
const assistant = { id: 'asst_1' };

/** Every route that changes data: a request that succeeds, and its audit entry. */
export const changes: Partial<Record<DashboardRouteName, [AuditAction, Asking]>> = {
  'sign-out': [
    'member.signed_out_everywhere',
    { query: { everywhere: 'true' }, cookies: ['dashboard_session=t'], body: {} },
  ],
  'update-me': ['member.updated', { body: { name: 'Priya' } }],
  'invite-member': ['member.invited', { body: { email: 'a@example.com', name: 'A', role: 'viewer' } }],
  'change-role': ['member.role_changed', { path: { id: 'u2' }, body: { role: 'viewer' } }],
  'remove-member': ['member.removed', { path: { id: 'u2' } }],
  'place-test-call': [
    'call.test_placed',
    { body: { assistant_id: 'asst_1' }, headers: { 'idempotency-key': 'action-0001' } },
  ],
  'create-assistant': ['assistant.created', { body: { name: 'A' }, headers: { 'idempotency-key': 'action-0004' } }],
  'update-assistant': ['assistant.updated', { path: assistant, body: { revision: 0, name: 'A' } }],
  'delete-assistant': ['assistant.deleted', { path: assistant }],
  'add-knowledge': [
    'assistant.knowledge_added',
    {
      ...{ path: assistant, body: upload },
      headers: { 'content-type': 'multipart/form-data; boundary=b', 'idempotency-key': 'action-0005' },
    },
  ],
  'remove-knowledge': ['assistant.knowledge_removed', { path: { ...assistant, entryId: KNOWLEDGE } }],
  'stop-call': ['call.stopped', { path: { id: WAITING } }],
  'resend-callback': ['callback.resent', { path: { id: ENDED, webhookId: 'wh_1' } }],
  'retry-leads': [
    'leads.retried',
    { path: connection, body: { outcome: 'insufficient_credits', since: '2026-03-01T00:00:00.000Z' } },
  ],
  'create-connection': ['connection.created', { body: { type: 'crm-a' } }],
  'update-connection': ['connection.updated', { path: connection, body: { revision: 0, auto_call: false } }],
  'disconnect-connection': ['connection.disconnected', { path: connection }],
  'replace-token': ['connection.token_replaced', { path: connection }],
  'confirm-consent': [
    'connection.connected',
    {
      path: { id: 'conn_2' },
      body: { consent_id: PENDING.id, organization_id: '7' },
      cookies: [`dashboard_consent=${BROWSER}`],
    },
  ],
  'refuse-consent': ['connection.consent_refused', { path: { id: 'conn_2' }, body: { consent_id: PENDING.id } }],
  'send-test-event': [
    'connection.test_event_sent',
    { path: connection, body: { phone: '9812345678' }, headers: { 'idempotency-key': 'action-0002' } },
  ],
  'create-key': ['key.created', { body: { name: 'k', permissions: ['calls:read'], seed: 's'.repeat(43) } }],
  'revoke-key': ['key.revoked', { path: { id: 'key_1' } }],
  'update-organization': ['org.updated', { body: { revision: 0, name: 'Acme' } }],
  'reveal-callback-secret': ['callback_secret.revealed', {}],
  'rotate-callback-secret': ['callback_secret.rotated', {}],
  'add-do-not-call': ['do_not_call.added', { body: { phones: ['9812345671'] } }],
  'remove-do-not-call': ['do_not_call.removed', { path: { phone: '919812345670' }, body: { reason: 'A mistake.' } }],
};

/** Methods other than GET that write no audit entry, with the reason. */
export const exceptions: Partial<Record<DashboardRouteName, string>> = {
  'sign-in': 'a session is the user pool’s',
  'refresh-session': 'a session is the user pool’s',
  'request-password-reset': 'a password is the user pool’s',
  'reset-password': 'a password is the user pool’s',
  'change-password': 'a password is the user pool’s',
  'begin-consent': 'needs an OAuth client: test/unit/operations/connections/confirm-consent.test.ts',
  'repeat-analysis': 'calls the model: test/unit/operations/after-call/repeat-analysis.test.ts',
};

export const routes = Object.entries<DashboardRoute>(dashboardRoutes) as [DashboardRouteName, DashboardRoute][];

export const namesOf = (isWanted: (route: DashboardRoute) => unknown) =>
  routes.filter(([, route]) => isWanted(route)).map(([name]) => name);
