import { openCloud, stageToWorkOn } from '../../../bin/admin/cloud/cloud.ts';
import { refuseStaleCheckout } from '../../../bin/admin/cloud/stale-checkout.ts';
import { restoredText } from '../../../lib/names.ts';
import { runCollected } from '../../support/admin/admin.ts';
import { aFile, askOffline, offline, runOffline } from '../../support/admin/offline-admin.ts';

/** Splits a command at its blanks; `_` stands for a blank inside a value. */
const words = (command: string): string[] => command.split(' ').map((word) => word.replaceAll('_', ' '));

/** A definition file of an assistant. */
const definition = (content: unknown): string =>
  aFile(`${Math.random()}.json`, typeof content === 'string' ? content : JSON.stringify(content));

const orgUpdate = 'org update --org org1 --name changed';
const assistantUpdate = 'assistant update --assistant asst1 --name changed';
const connect = 'connection create --org org1 --type crm-a';
const reconnect = 'connection update --connection conn1 --owner changed';
const testEvent = 'connection test-event --connection conn1';
const retry = 'connection retry --connection conn1';

// The cloud is unreachable, so a request would fail: these commands send none.
describe('admin refuses a bad value before it sends a request', () => {
  it.each([
    'org create --name x --credits 1.2345',
    'org create --name x --credits -1',
    'org create --name x --credits many',
    'org create --name _ --credits 1',
    `${orgUpdate} --rate -1`,
    `${orgUpdate} --platform-numbers +918012345678,08012345678`,
    `${orgUpdate} --region India`,
    `${orgUpdate} --credits 7 --max-live-calls 0`,
    `${orgUpdate} --credits 7 --max-wait-minutes 1.5`,
    `${orgUpdate} --requests-per-minute 0`,
    'org credit --org org1 --amount 1e3',
    'org credit --org org1 --amount 0',
    'org ledger --org org1 --limit 10001',
    'org ledger --org org1 --limit 0',
    'org show --org org1 --stage Nowhere!',
    'key create --org org1 --name x --permissions calls:read,calls:delete',
    'key create --org org1 --name x --permissions ,',
    `${assistantUpdate} --max-duration 9`,
    `${assistantUpdate} --max-duration 3601`,
    `${assistantUpdate} --max-duration ten`,
    `${assistantUpdate} --transfer-number 08012345678`,
    `${assistantUpdate} --file none.json`,
    'assistant create --org org1',
    'call list --org org1 --status lost',
    'call list --org org1 --limit 0',
    'schedule run recover-all',
    'schedule run recover-calls --as-of yesterday',
    'queue redrive --queue nope',
    'connection create --org org1 --type crm-z',
    `${connect} --auto-call maybe`,
    `${connect} --owner _`,
    `${connect} --owner ${'x'.repeat(201)}`,
    `${connect} --settings []`,
    `${connect} --settings null`,
    `${connect} --settings {`,
    `${reconnect} --auto-call yes`,
    'connection update --connection conn1 --auto-call off --owner _',
    'connection authorize-url --connection conn1 --data-center us',
    'connection activity --connection conn1 --limit 0',
    'connection activity --connection conn1 --limit 5001',
    'connection activity --connection conn1 --limit all',
    `${testEvent} --phone ${'1'.repeat(51)}`,
    `${testEvent} --phone _`,
    `${testEvent} --owner ${'x'.repeat(201)}`,
    `${testEvent} --first-name ${'x'.repeat(201)}`,
    `${retry} --outcome do_not_call --since 2026-01-01`,
    `${retry} --outcome insufficient_credits --since yesterday`,
    `${retry} --outcome insufficient_credits --since 2026-01-01T10:00:00`,
    'secret set --name other',
    'secret set --name voice --data-center in',
    'secret set --name crm-b-oauth --data-center us',
    'secret rotate --name voice',
  ])('%s', async (command) => {
    expect(await askOffline(words(command))).toEqual({
      code: 1,
      body: { error: 'invalid_value', message: expect.stringMatching(/^\S.*\.$/) },
    });
  });

  it.each([
    [{ name: 'x', tone: 'warm' }, /tone/],
    [{ analysis_schema: { type: 'array' } }, /analysis_schema\.type/],
    [{ prompt: 'x'.repeat(100_001) }, /prompt/],
    ['[]', /must be a JSON object/],
    ['{"name": ', /is not JSON/],
  ])('a definition such as %j', async (content, reason) => {
    const { code, body } = await askOffline([...words(assistantUpdate), '--file', definition(content)]);
    expect([code, body.error]).toEqual([1, 'invalid_value']);
    expect(body.message).toMatch(reason);
  });
});

it.each(['set', 'rotate'])('admin secret %s never replaces a permanent key, and sends no request', async (verb) => {
  for (const name of ['person-key', 'do-not-call-key'])
    expect(await askOffline(['secret', verb, '--name', name])).toEqual({
      code: 1,
      body: { error: 'permanent_key', message: expect.stringMatching(`^${name} is never replaced`) },
    });
});

describe('admin secret set refuses a value without repeating it', () => {
  const client = { client_id: 's-hidden', client_secret: 's-hidden' };

  it.each([
    ['voice', ''],
    ['voice', 'sk-hidden'],
    ['voice', '"s-hidden"'],
    ['voice', '{"api_key": 5}'],
    ['voice', '{"api_key": " "}'],
    ['voice', '{"api_key": "s-hidden", "phone": "s-hidden"}'],
    ['crm-b-oauth', ''],
    ['crm-b-oauth', '"s-hidden"'],
    ['crm-b-oauth', '{"client_id": "s-hidden"}'],
    ['crm-b-oauth', JSON.stringify({ ...client, client_secret: ' ' })],
    ['crm-b-oauth', JSON.stringify({ ...client, in: 's-hidden' })],
  ])('%s: %s', async (name, input) => {
    const { code, stdout, stderr } = await runOffline(['secret', 'set', '--name', name, '--json'], input);
    expect([code, JSON.parse(stdout).error]).toEqual([1, 'invalid_value']);
    expect(stdout + stderr).not.toContain('hidden');
  });
});

describe('admin stage restore refuses', () => {
  it.each([
    ['--to 2026-03-01T00:00:00 --tables assistants', 'invalid_value'],
    ['--to 2026-03-01T00:00:00Z --tables nothing', 'invalid_value'],
    // Their transactions write the other tables, too.
    ['--to 2026-03-01T00:00:00Z --tables calls,claims', 'together'],
    ['--to 2026-03-01T00:00:00Z --tables assistants', 'not_retained'],
  ])('%s', async (flags, error) => {
    expect(await askOffline(['stage', 'restore', ...flags.split(' ')])).toMatchObject({ code: 1, body: { error } });
  });
});

describe('admin connection authorize-url --confirm off, which connects the first browser that opens its address', () => {
  const began = { error: 'connection_not_found' };
  const refused = { error: 'confirmation_needed', message: expect.stringContaining('connection confirm') };
  it.each<[string, string | undefined, object | undefined, string, object]>([
    ['is refused for a stage with lasting data', 'prod', { isRetained: true }, 'off', refused],
    ['is refused if the settings of the stage do not say that it is thrown away', 'prod', {}, 'off', refused],
    ['is refused if the stage has no settings here', 'prod', undefined, 'off', refused],
    ['begins on a stage that is thrown away', 'try', { isRetained: false }, 'off', began],
    ['begins on a stage whose settings say it in quotes', 'try', { isRetained: 'false' }, 'off', began],
    ['begins on a local cloud', undefined, undefined, 'off', began],
    ['is not needed: "on" begins on any stage', 'prod', { isRetained: true }, 'on', began],
  ])('%s', async (_what, stage, file, choice, answer) => {
    const variables = { ...offline, AWS_REGION: 'eu-west-1' };
    const opened = openCloud(stage ? { stage } : {}, variables, () => file as Record<string, unknown> | undefined);
    // The read of the connection is the first request.
    const cloud = { ...opened, connections: { ...opened.connections, get: async () => undefined } };
    const command = ['connection', 'authorize-url', '--connection', 'conn_1', '--confirm', choice, '--json'];
    const { code, stdout } = await runCollected(command, { cloud });
    expect([code, JSON.parse(stdout)]).toEqual([1, expect.objectContaining(answer)]);
  });
});

describe('admin works on', () => {
  it('the named stage, or the running local cloud if none is named, but never on a default stage', () => {
    expect([stageToWorkOn('prod', {}), stageToWorkOn(undefined, {})]).toEqual(['prod', 'local']);
    expect(() => stageToWorkOn(undefined, undefined)).toThrow('--stage');
  });

  it('the region of the flag, or of the environment if the stage’s settings have none', () => {
    const variables = { AWS_REGION: 'eu-west-1' };
    expect(openCloud({ stage: 'try' }, variables).place).toMatchObject({ stage: 'try', region: 'eu-west-1' });
    expect(openCloud({ stage: 'try', awsRegion: 'ap-south-1' }, variables).place.region).toBe('ap-south-1');
  });

  it('the restored tables that the stage’s settings name', () => {
    const restored = { calls: 'r20261123093000' };
    const { named } = openCloud({ stage: 'prod' }, { AWS_REGION: 'eu-west-1' }, () => ({ restored }));
    expect([named.table('calls'), named.table('claims')]).toEqual([
      'calling-service-prod-calls-r20261123093000',
      'calling-service-prod-claims',
    ]);
  });

  it('no tables that the stage does not use, whatever the order of the restored tables', () => {
    const restored = { claims: 'r20261123093000', calls: 'r20261123093000' };
    const text = 'calls=r20261123093000,claims=r20261123093000';
    expect([restoredText(restored), restoredText({}), restoredText()]).toEqual([text, 'none', 'none']);
    for (const [own, deployed] of [
      [restored, text],
      [{}, 'none'],
      [restored, undefined],
    ] as const)
      expect(() => refuseStaleCheckout('prod', own, deployed)).not.toThrow();
    for (const [own, deployed] of [
      [{}, text],
      [restored, 'none'],
      [{ ...restored, calls: 'r20261124000000' }, text],
    ] as const)
      expect(() => refuseStaleCheckout('prod', own, deployed)).toThrow(
        expect.objectContaining({ error: 'stale_checkout', message: expect.stringContaining(`deployed: ${deployed}`) }),
      );
  });
});
