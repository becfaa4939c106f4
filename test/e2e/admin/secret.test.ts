import { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { defaultClient } from '../../../local/simulators/zoho-accounts/model.ts';
import { putSecret } from '../../../shared/stores/secrets.ts';
import { answerOf, type Body, cli, cliFed, done } from '../../support/admin/cli.ts';
import { freshWorkers, named, secrets } from '../../support/stack/stack.ts';

const client = { client_id: defaultClient.id, client_secret: defaultClient.secret };

const storedText = async (name: string, VersionStage = 'AWSCURRENT') =>
  (await secrets.send(new GetSecretValueCommand({ SecretId: named.secret(name), VersionStage }))).SecretString ?? '';
const stored = async (name: string) => JSON.parse(await storedText(name));

/** Sets a secret that must be accepted. */
async function set(value: unknown, ...flags: string[]): Promise<{ body: Body; output: string }> {
  const ran = await cliFed(` ${JSON.stringify(value)}\n`, 'secret', 'set', ...flags, '--json');
  const { code, body } = answerOf(ran);
  expect([code, body]).toEqual([0, expect.objectContaining({ version_id: expect.any(String) })]);
  return { body, output: ran.stdout + ran.stderr };
}

afterAll(async () => {
  for (const name of ['crm-b-oauth', 'help-desk-oauth'])
    await putSecret(secrets, named.secret(name), JSON.stringify({ in: client }));
});

describe('admin secret', () => {
  it('sets a secret, lists the versions, and shows no value', async () => {
    const value = await stored('voice');
    const { body } = await set(value, '--name', 'voice');
    expect(body.name).toBe('voice');
    expect(await stored('voice')).toEqual(value);

    const list = await done('secret', 'list');
    expect(list.secrets.map(({ name }: Body) => name)).toEqual([
      'voice',
      'crm-b-oauth',
      'help-desk-oauth',
      'voice-webhook-key',
      'recording-link-key',
      'person-key',
      'do-not-call-key',
    ]);
    const current = list.secrets[0].versions.find(({ stages }: Body) => stages.includes('AWSCURRENT'));
    expect(current.version_id).toBe(body.version_id);
    for (const secret of [...Object.values<string>(value), await storedText('voice-webhook-key')])
      expect(JSON.stringify([body, list])).not.toContain(secret);
  });

  it('replaces the webhook key without showing it, and the previous key stays readable', async () => {
    const before = await storedText('voice-webhook-key');
    try {
      const { code, stdout } = await cli('secret', 'rotate', '--name', 'voice-webhook-key');
      const key = await storedText('voice-webhook-key');
      expect([code, key.length, await storedText('voice-webhook-key', 'AWSPREVIOUS')]).toEqual([0, 64, before]);
      expect(key).not.toBe(before);
      expect(stdout).not.toContain(key);
    } finally {
      // Other suites sign with the first key; a second rotation would end it.
      await putSecret(secrets, named.secret('voice-webhook-key'), before);
      await freshWorkers('dial-call');
    }
  });

  it('sets the OAuth client of one data center, "in" by default, and keeps the others', async () => {
    const eu = { client_id: 'eu', client_secret: 'eu-hidden' };
    const { body, output } = await set(eu, '--name', 'crm-b-oauth', '--data-center', 'eu');
    expect(body.name).toBe('crm-b-oauth');
    expect(output).not.toContain('hidden');
    expect(await stored('crm-b-oauth')).toEqual({ in: client, eu });

    const india = { client_id: 'in', client_secret: 'in-hidden' };
    await set(india, '--name', 'crm-b-oauth');
    expect(await stored('crm-b-oauth')).toEqual({ in: india, eu });
    expect(await stored('help-desk-oauth')).toEqual({ in: client });

    await set(india, '--name', 'help-desk-oauth', '--data-center', 'jp');
    expect(await stored('help-desk-oauth')).toEqual({ in: client, jp: india });
  });
});
