import { defaultClient } from '../../local/simulators/zoho-accounts/model.ts';
import { crmBScopes } from '../../shared/domain/connections/oauth-scopes.ts';
import { putSecret, readSecret } from '../../shared/stores/secrets.ts';
import { type Body, cliFed, done, refused } from '../support/cli.ts';
import { anUnconnected, comeBack, connectsOften, consentTo } from '../support/crm-b.ts';
import { aConnection } from '../support/leads.ts';
import { crmB, environment, named, secrets } from '../support/stack.ts';

const client = { client_id: defaultClient.id, client_secret: defaultClient.secret };
const stored = async (name: 'crm-b-oauth' | 'help-desk-oauth') =>
  JSON.parse((await readSecret(secrets, named.secret(name))) ?? '');

async function setClient(
  input: unknown,
  ...flags: string[]
): Promise<{ code: number | null; body: Body; said: string }> {
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  const { code, stdout, stderr } = await cliFed(text, 'secret', 'set', ...flags, '--json');
  return { code, body: JSON.parse(stdout), said: stdout + stderr };
}

beforeEach(async () => {
  await crmB.reset();
  await crmB.settings(connectsOften);
});

afterEach(async () => {
  for (const name of ['crm-b-oauth', 'help-desk-oauth'])
    await putSecret(secrets, named.secret(name), JSON.stringify({ in: client }));
});

describe('admin connection authorize-url', () => {
  it.each([
    ['crm-b', crmBScopes],
    ['help-desk', 'HB.basic.READ,HB.contacts.READ,HB.tickets.ALL,HB.settings.READ,HB.search.READ'],
  ] as const)('begins a consent that connects %s', async (type, scopes) => {
    const { connection_id } = (await anUnconnected(type)).connection;
    const { url, ...rest } = await done('connection', 'authorize-url', '--connection', connection_id);
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
    const { result } = await comeBack(await consentTo(url));
    expect(result.connected).toBe(connection_id);
    const { health } = await done('connection', 'show', '--connection', connection_id);
    expect(health.reason).not.toBe('disconnected');
  });

  it('takes any of the data centers that has a client', async () => {
    const { connection } = await anUnconnected('crm-b');
    const of = ['connection', 'authorize-url', '--connection', connection.connection_id, '--data-center'];
    expect(await refused(...of, 'eu')).toMatchObject({
      error: 'client_not_set',
      message: expect.stringContaining('--data-center eu'),
    });
    await setClient({ client_id: 'eu-client', client_secret: 'x' }, '--name', 'crm-b-oauth', '--data-center', 'eu');
    const { url } = await done(...of, 'eu');
    expect(new URL(url).searchParams.get('client_id')).toBe('eu-client');
    expect(await refused(...of, 'us')).toMatchObject({ error: 'invalid_value' });
  });

  it("refuses crm-a's connection, which needs no consent, and one that is not there", async () => {
    const { connection } = await aConnection();
    const asked = ['connection', 'authorize-url', '--connection'];
    expect(await refused(...asked, connection.connection_id)).toMatchObject({ error: 'invalid_value' });
    expect(await refused(...asked, 'conn_none')).toMatchObject({ error: 'connection_not_found' });
  });
});

describe('admin secret set of OAuth clients', () => {
  it('sets one data center at a time and leaves the others, in unless told', async () => {
    const eu = { client_id: 'eu', client_secret: 'eu-hidden' };
    const { code, body, said } = await setClient(eu, '--name', 'crm-b-oauth', '--data-center', 'eu');
    expect([code, body.name]).toEqual([0, 'crm-b-oauth']);
    expect(said).not.toContain('hidden');
    expect(await stored('crm-b-oauth')).toEqual({ in: client, eu });

    const india = { client_id: 'in', client_secret: 'in-hidden' };
    await setClient(india, '--name', 'crm-b-oauth');
    expect(await stored('crm-b-oauth')).toEqual({ in: india, eu });
    expect(await stored('help-desk-oauth')).toEqual({ in: client });

    await setClient(india, '--name', 'help-desk-oauth', '--data-center', 'jp');
    expect(await stored('help-desk-oauth')).toEqual({ in: client, jp: india });
  });

  it('refuses what no data center could use, without repeating it', async () => {
    const flags = ['--name', 'crm-b-oauth', '--data-center'];
    const bad = [
      '',
      '"s-hidden"',
      { client_id: 's-hidden' },
      { client_id: 's-hidden', client_secret: ' ' },
      { client_id: 's-hidden', client_secret: 's-hidden', in: 's-hidden' },
    ];
    for (const value of bad) {
      const { code, body, said } = await setClient(value, ...flags, 'in');
      expect([code, body.error]).toEqual([1, 'invalid_value']);
      expect(said).not.toContain('s-hidden');
    }
    for (const flagged of [
      [...flags, 'us'],
      ['--name', 'voice', '--data-center', 'in'],
    ])
      expect(await setClient(client, ...flagged)).toMatchObject({ code: 1, body: { error: 'invalid_value' } });
    expect(await stored('crm-b-oauth')).toEqual({ in: client });
  });
});
