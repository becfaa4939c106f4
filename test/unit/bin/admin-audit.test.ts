import { nounless, nouns } from '../../../bin/admin/program.ts';
import type { Noun } from '../../../bin/admin/verb.ts';
import type { Connection } from '../../../shared/domain/connections/connection.ts';
import { hashApiKey } from '../../../shared/domain/organizations/api-key.ts';
import type { AuditAction, StageAction } from '../../../shared/domain/organizations/audit/audit-entry.ts';
import { aFile } from '../../support/admin/offline-admin.ts';
import { aCall, aClaimedCall } from '../support/call.ts';
import { adminWorld, RAVI } from '../support/worlds/admin-world.ts';
import { aConnection, aGrant, anAssistant, anOrg, ORG } from '../support/worlds/items.ts';

const WAITING = aCall().call_id;
const LIVE = `call_${'1'.repeat(32)}`;
const STUCK = `call_${'2'.repeat(32)}`;
const live = { platform_id: 'p1', status: 'in_progress', dial_claimed_at: '2026-03-02T05:00:00.000Z' } as const;
const ENDED = `call_${'3'.repeat(32)}`;
const DOCUMENT = {
  id: `kb_${'1'.repeat(24)}`,
  filename: 'a.txt',
  path: 'knowledge/a.txt',
  textPreview: '',
  uploadedAt: 'then',
};
const PENDING: NonNullable<Connection['pending_consent']> = {
  id: 'pending_1',
  grant: aGrant({
    api_domain: 'http://127.0.0.1:9',
    accounts_server: 'http://127.0.0.1:9',
    identity: { organizations: [{ id: '7', name: 'Acme' }], user: { name: 'Asha', email: 'asha@example.com' } },
  }),
  access: { version: 1, token: 'sealed', expires_at: '2099-01-01T00:00:00.000Z' },
  begun_by: { kind: 'operator', name: 'asha' },
  at: '2026-03-02T05:00:00.000Z',
  expires_at: '2099-01-01T00:00:00.000Z',
};
const TRIED = 'evt_1';

function aStage() {
  const contents = {
    organizations: [anOrg({ held: 30_000, owners: 2, callback_secrets: [{ ciphertext: 'sealed', hint: 'abcd' }] })],
    slots: [{ scope: 'stage', live: 2 }],
    assistants: [anAssistant({ knowledge_base: [DOCUMENT] })],
    members: ['u1', 'u2'].map((user_id) => ({
      ...{ user_id, org_id: ORG, email: `${user_id}@example.com`, name: user_id, role: 'owner', created_at: 'then' },
    })),
    'api-keys': [
      { key_hash: hashApiKey('k'), key_id: 'key_1', org_id: ORG, name: 'k', permissions: [], created_at: 'then' },
    ],
    'do-not-call': [{ org_id: ORG, phone: '+919812345670', added_at: 'then' }],
    connections: [
      aConnection({ type: 'crm-a', token_hash: 'hash', trigger_owner_user_id: 'o' }),
      aConnection({ connection_id: 'conn_2' }),
      aConnection({ connection_id: 'conn_3', pending_consent: PENDING }),
    ],
    activity: [
      {
        ...{
          org_id: ORG,
          connection_id: 'conn_1',
          event_id: TRIED,
          at: '2026-03-02T05:00:00.000Z',
          source: 'webhook',
          test: false,
        },
        ...{
          event: 'new_lead',
          outcome: 'insufficient_credits',
          reason: 'No credit.',
          payload_keys: [],
          expires_at: 1,
        },
        retryable: JSON.stringify({
          ...{ event_id: TRIED, connection_id: 'conn_1', source: 'webhook', event: 'new_lead', test: false },
          ...{ at: '2026-03-02T05:00:00.000Z', payload_keys: [] },
          lead: { lead_id: 'l1', phones: ['+919812345678'], do_not_call: false, fields: {} },
        }),
      },
    ],
  };
  const world = adminWorld(contents, {
    AdminCreateUser: { User: { Attributes: [{ Name: 'sub', Value: 'u3' }] } },
    AdminDeleteUser: {},
    GetSecretValue: { SecretString: JSON.stringify({ api_key: 'k' }) },
    PutSecretValue: { VersionId: 'v2' },
    Invoke: { Payload: Buffer.from('{}') },
    GetQueueAttributes: { Attributes: { ApproximateNumberOfMessages: '1' } },
    ReceiveMessage: { Messages: [{ Body: '{}', ReceiptHandle: 'r' }] },
    SendMessageBatch: {},
    DeleteMessageBatch: {},
    GetMetricData: {},
    ListSecretVersionIds: {},
    GetObject: {},
    DeleteObject: {},
    ListObjectVersions: {},
    ListMultipartUploads: {},
  });
  for (const call of [
    aCall(),
    aClaimedCall({ ...live, call_id: LIVE, slots: ['stage'] }),
    aClaimedCall({ ...live, call_id: STUCK, slots: ['stage'] }),
    aCall({ call_id: ENDED, status: 'no_answer', unfinished: undefined }),
  ])
    world.putCall(call);
  return world;
}

const newFolder = () => aFile('person', '').concat('-folder');
const numbers = aFile('numbers.csv', 'phone\n+919812345671\n');

/**
 * Every command that changes data or hands out a person's, with its arguments and its entry. `first`: the act cannot
 * share a transaction with the entry, so the entry comes first.
 */
const changes: Record<string, [command: string, AuditAction | StageAction, first?: 'first', input?: string]> = {
  'org create': ['org create --name Acme --credits 5', 'org.created'],
  'org update': [`org update --org ${ORG} --name Acme`, 'org.updated'],
  'org adopt-countries': [`org adopt-countries --org ${ORG}`, 'org.updated'],
  'org retention apply': [`org retention apply --org ${ORG}`, 'org.retention_applied', 'first'],
  'org suspend': [`org suspend --org ${ORG}`, 'org.suspended'],
  'org resume': [`org resume --org ${ORG}`, 'org.resumed'],
  'org credit': [`org credit --org ${ORG} --amount 5 --reference invoice-7`, 'org.credit_added'],
  'org callback-secret': [`org callback-secret --org ${ORG} --rotate`, 'callback_secret.rotated'],
  'user invite': [`user invite --org ${ORG} --email a@example.com --name A`, 'member.invited'],
  'user remove': [`user remove --org ${ORG} --user u1`, 'member.removed'],
  'dialing pause': ['dialing pause', 'dialing.paused'],
  'dialing resume': ['dialing resume', 'dialing.resumed'],
  'key create': [`key create --org ${ORG} --name k`, 'key.created'],
  'key revoke': ['key revoke --key key_1', 'key.revoked'],
  'assistant create': [`assistant create --org ${ORG} --name A`, 'assistant.created'],
  'assistant update': ['assistant update --assistant asst_1 --name A', 'assistant.updated'],
  'assistant knowledge remove': [
    `assistant knowledge remove --assistant asst_1 --entry ${DOCUMENT.id}`,
    'assistant.knowledge_removed',
  ],
  'connection create': [`connection create --org ${ORG} --type crm-a`, 'connection.created'],
  'connection update': ['connection update --connection conn_1 --auto-call off', 'connection.updated'],
  'connection rotate-token': ['connection rotate-token --connection conn_1', 'connection.token_replaced'],
  'connection confirm': ['connection confirm --connection conn_3 --organization 7', 'connection.connected'],
  'connection refuse': ['connection refuse --connection conn_3', 'connection.consent_refused'],
  'connection disconnect': ['connection disconnect --connection conn_1', 'connection.disconnected'],
  'connection test-event': ['connection test-event --connection conn_1', 'connection.test_event_sent', 'first'],
  'connection retry': [
    'connection retry --connection conn_1 --outcome insufficient_credits --since 2026-03-01',
    'leads.retried',
    'first',
  ],
  'dnc add': [`dnc add --org ${ORG} --phone 9812345671`, 'do_not_call.added'],
  'dnc remove': [`dnc remove --org ${ORG} --phone 9812345670`, 'do_not_call.removed'],
  'dnc import': [`dnc import --org ${ORG} --file ${numbers}`, 'do_not_call.added'],
  'call cancel': [`call cancel --call ${WAITING}`, 'call.stopped'],
  'call hangup': [`call hangup --call ${LIVE}`, 'call.stopped'],
  'call end': [`call end --call ${STUCK} --force`, 'call.stopped'],
  'call erase': [`call erase --call ${ENDED}`, 'call.erased'],
  'person erase': [`person erase --org ${ORG} --phone 9812345679`, 'person.erased', 'first'],
  'person export': [
    `person export --org ${ORG} --phone 9812345679 --folder ${newFolder()}`,
    'person.exported',
    'first',
  ],
  'stage respell': ['stage respell', 'stage.numbers_respelled', 'first'],
  'schedule run': ['schedule run recover-calls', 'schedule.run', 'first'],
  'queue redrive': ['queue redrive --queue lead-events', 'dead_letters.repeated', 'first'],
  'secret set': ['secret set --name voice', 'secret.set', 'first', '{"api_key": "s-hidden"}'],
  'secret rotate': ['secret rotate --name recording-link-key', 'secret.rotated', 'first'],
};

/** Every other command. */
const readings = [
  ...[
    'org show',
    'org ledger',
    'user list',
    'audit list',
    'audit verify',
    'key list',
    'assistant show',
    'assistant list',
  ],
  'assistant knowledge list',
  ...['connection show', 'connection list', 'connection activity', 'dnc list', 'call show', 'call list'],
  ...['queue list', 'secret list', 'receipt verify', 'stack-trace read', 'doctor'],
  // It removes stages that have never worked and so have no audit log. Its test: test/local/stage-repair.test.ts.
  'stage repair',
  // They need a cloud with backups. Their entries: test/local/stage-restore.test.ts.
  'stage restore',
  'stage reconcile',
  // It needs an OAuth client. Its entry: test/unit/operations/connections/confirm-consent.test.ts.
  'connection authorize-url',
];

describe('the audit log of the admin commands', () => {
  it('has an entry for every command that changes data or hands out a person’s data', () => {
    const commandsOf = ({ name, verbs, groups = [] }: Noun): string[] =>
      [...verbs.map(({ usage }) => usage.split(' ')[0]), ...groups.flatMap(commandsOf)].map((one) => `${name} ${one}`);
    const all = [...nouns.flatMap(commandsOf), ...nounless.map(({ usage }) => usage)];
    expect([...Object.keys(changes), ...readings].sort()).toEqual(all.sort());
  });

  it.each(Object.entries(changes))(
    'has one entry for %s, written with the change or before it',
    async (name, [command, action, first, input]) => {
      const world = aStage();
      if (name === 'dialing resume') await world.admin('dialing pause');
      if (name === 'org resume') await world.admin(`org suspend --org ${ORG}`);
      const earlier = world.auditEntries().length;
      const writes: number[] = [];
      world.hooks.before = (operation, { TransactItems = [] }) => {
        const written = (TransactItems as object[]).map((write) => JSON.stringify(write));
        const others = written.filter((write) => !write.includes('"TableName":"audit"'));
        if (operation === 'TransactWrite' && others.length < written.length) writes.push(others.length);
      };
      const { code, stderr } = await world.admin(command, input);
      // The voice platform cannot be reached here: the entry precedes the request.
      expect([code, stderr]).toEqual(name === 'call hangup' ? [1, expect.stringMatching(/voice platform/)] : [0, '']);
      const entries = world.auditEntries().slice(earlier);
      expect(entries).toMatchObject([{ action, actor: { kind: 'operator', name: 'ravi', arn: RAVI } }]);
      expect(writes.map((count) => (count > 0 ? 'with the change' : 'first'))).toEqual([first ?? 'with the change']);
      expect(JSON.stringify(entries)).not.toMatch(/hidden|whsec|svc_live|98123456/);
    },
  );
});

const world = () => adminWorld({ organizations: [anOrg()], assistants: [anAssistant()] });

describe('audit verify', () => {
  const verify = `audit verify --org ${ORG}`;

  it('shows the head of an untouched log, which a later verification expects', async () => {
    const stage = world();
    await stage.admin('assistant update --assistant asst_1 --name A');
    const { code, stdout } = await stage.admin(verify);
    const { head, ...counts } = JSON.parse(stdout);
    expect([code, counts]).toEqual([0, { chained: 1, unchained: 0 }]);
    await stage.admin('assistant update --assistant asst_1 --name B');
    expect((await stage.admin(`${verify} --expect ${head}`)).code).toBe(0);
    expect(await stage.atTerminal(`${verify} --expect 1:${'0'.repeat(64)}`)).toMatchObject({
      code: 1,
      stderr: 'The entry with sequence 1, which an earlier verification found, has another hash.\n',
    });
    expect((await stage.admin(`${verify} --expect 1:0`)).code).toBe(1);
  });

  it('names the changed entry and exits with code 1', async () => {
    const stage = world();
    for (const name of ['A', 'B', 'C']) await stage.admin(`assistant update --assistant asst_1 --name ${name}`);
    const [, second] = stage.auditEntries();
    stage.put('audit', { ...second, actor: { kind: 'operator', name: 'meera', arn: RAVI } });
    const { code, stdout, stderr } = await stage.admin(verify);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^Entry \S+ \(sequence 2, assistant.updated\) was changed/),
    ]);
    expect(JSON.parse(stdout)).toMatchObject({
      error: 'audit_log_changed',
      chained: 3,
      findings: [expect.stringContaining(String(second?.entry))],
    });
  });

  it('verifies the operators’ entries about the whole stage, too', async () => {
    const stage = world();
    await stage.admin('dialing pause');
    expect(JSON.parse((await stage.admin('audit verify')).stdout)).toMatchObject({ chained: 1 });
  });
});

describe('audit list', () => {
  it('shows the operators’ ARNs', async () => {
    const stage = world();
    await stage.admin('dialing pause');
    const { entries } = JSON.parse((await stage.admin('audit list')).stdout);
    expect(entries).toMatchObject([{ actor: { kind: 'operator', name: 'ravi', arn: RAVI } }]);
    expect((await stage.atTerminal('audit list')).stdout).toContain(RAVI);
  });

  it('shows the entries of one organization without those of the whole stage', async () => {
    const stage = world();
    await stage.admin('dialing pause');
    await stage.admin(`org suspend --org ${ORG}`);
    const { entries } = JSON.parse((await stage.admin(`audit list --org ${ORG}`)).stdout);
    expect(entries).toMatchObject([{ action: 'org.suspended' }]);
  });
});
