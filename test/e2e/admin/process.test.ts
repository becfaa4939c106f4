import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { topUpEntry } from '../../../shared/domain/organizations/ledger-entry.ts';
import { readSecret } from '../../../shared/stores/secrets.ts';
import { answerOf, type Body } from '../../support/admin/cli.ts';
import { spawned } from '../../support/admin/spawned.ts';
import { anOrg } from '../../support/organizations/orgs.ts';
import { db, environment, environmentFile, named, now, secrets } from '../../support/stack/stack.ts';

const node = process.execPath;
/** Items of a BatchWriteItem request. */
const BATCH = 25;
const ENTRIES = 1_000;

const admin = (...args: string[]): string[] => [node, 'bin/admin.ts', ...args];

/** The other tests of the CLI run its commands in the test's process; these promises need a separate one. */
describe('the process of the admin CLI', () => {
  it('writes a large answer completely into a pipe whose reader is slow', async () => {
    const { orgId } = await anOrg({ credits: 0 });
    const start = now().getTime();
    // More than a page of DynamoDB (1 MB), and far more than a pipe's buffer.
    const reason = 'x'.repeat(1_200);
    const entries = Array.from({ length: ENTRIES }, (_, index) =>
      topUpEntry(orgId, 'many', index % 2 ? -1_001 : 1_001, new Date(start + index).toISOString(), reason),
    );
    const batches = Array.from({ length: ENTRIES / BATCH }, (_, batch) =>
      entries.slice(batch * BATCH, (batch + 1) * BATCH),
    );
    await Promise.all(
      batches.map((batch) => {
        const puts = batch.map((Item) => ({ PutRequest: { Item } }));
        return db.send(new BatchWriteCommand({ RequestItems: { [named.table('credit-ledger')]: puts } }));
      }),
    );
    // Starts through local/install.mjs, like `npm run admin`: this extra process must not cut off the output either.
    const command = `"${node}" local/install.mjs bin/admin.ts org ledger --org ${orgId} --limit 10000 --json | (sleep 1; cat)`;
    const { stdout } = await spawned(['sh', '-c', command]);
    expect(stdout.length).toBeGreaterThan(1_200_000);
    const { entries: written } = JSON.parse(stdout);
    expect(new Set(written.map(({ entry }: Body) => entry)).size).toBe(ENTRIES);
    expect(written[0].at > written[ENTRIES - 1].at).toBe(true);
  });

  it('reads a secret from standard input', async () => {
    const value = (await readSecret(secrets, named.secret('voice'))) ?? '';
    const ran = await spawned(admin('secret', 'set', '--name', 'voice', '--json'), { input: value });
    expect(answerOf(ran)).toMatchObject({ code: 0, body: { name: 'voice', version_id: expect.any(String) } });
    expect(JSON.parse((await readSecret(secrets, named.secret('voice'))) ?? '')).toEqual(JSON.parse(value));
  });

  it('exits with 2 on wrong usage, with a message on standard error only', async () => {
    const { code, stdout, stderr } = await spawned(admin('bogus'));
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('unknown command');
  });

  it('exits with 1 and says how to start the local cloud if it does not answer', async () => {
    const silent = join(dirname(environmentFile), 'silent.json');
    await writeFile(silent, JSON.stringify({ ...environment, emulator_url: 'http://127.0.0.1:1' }));
    const ran = await spawned(admin('org', 'show', '--org', 'org0', '--json'), {
      variables: { CALLING_SERVICE_ENVIRONMENT: silent },
    });
    expect(answerOf(ran)).toMatchObject({ code: 1, body: { error: 'unavailable' } });
    expect(ran.stderr).toMatch(
      /^The local cloud at http:\/\/127\.0\.0\.1:1 does not answer: start it with npm start\.$/m,
    );
  });

  it('works on a stage in AWS with the credentials of the environment and its public URL', async () => {
    const { orgId } = await anOrg();
    const args = ['--org', orgId, '--type', 'crm-a', '--stage', 'local', '--region', environment.region, '--json'];
    const ran = await spawned(admin('connection', 'create', ...args), {
      variables: {
        AWS_ENDPOINT_URL: environment.emulator_url,
        AWS_ACCESS_KEY_ID: environment.credentials.accessKeyId,
        AWS_SECRET_ACCESS_KEY: environment.credentials.secretAccessKey,
      },
    });
    const { code, body } = answerOf(ran);
    expect([code, body.webhook_url]).toEqual([0, `${environment.base_url}/api/webhooks/crm-a/${body.connection_id}`]);
  });
});
