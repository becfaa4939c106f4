import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetBucketLocationCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { RootKey } from '../../local/client.ts';
import { bootstrap, type Emulator, moveClock, startEmulator } from '../../local/cloud.ts';
import { isRunning } from '../../local/is-running.mjs';
import { OperatorError } from '../../local/operator-error.ts';
import { installEmulator } from '../../local/python-packages.ts';
import { untilNoError } from '../support/runner/until-no-error.ts';
import { ask, pageRequests } from './support/page.ts';
import { startProgram } from './support/programs.ts';

const ONE_SENTENCE = /^[^.!?]+(\.\d[^.!?]*)*[.]$/;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cloud-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const log = () => {};

/** @returns the message of an OperatorError. */
async function failureOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.catch((reason: unknown) => reason);
  if (!(error instanceof OperatorError)) throw new Error('expected an OperatorError', { cause: error });
  return error.message;
}

describe('the installation', () => {
  /** A folder for PATH whose python3 is the given shell script. */
  async function pathWith(script: string): Promise<string> {
    const path = join(folder, 'path');
    await mkdir(path, { recursive: true });
    await writeFile(join(path, 'python3'), `#!/bin/sh\n${script}\n`);
    await chmod(join(path, 'python3'), 0o755);
    return path;
  }

  /** A Python 3.12 whose `-m venv` makes an environment with a python that runs `inside`. */
  const pythonThatMakes = (inside: string) => `
    if [ "$1" = -c ]; then echo 3 12; exit; fi
    /bin/mkdir -p "$4/bin"; printf '#!/bin/sh\\n%s\\n' '${inside}' > "$4/bin/python"; /bin/chmod +x "$4/bin/python"`;

  const install = (searchPath: string, lines: string[] = []) =>
    installEmulator({ log: (line) => lines.push(line), folder: join(folder, 'python'), searchPath });

  test('runs once, and again after an interruption', async () => {
    const lines: string[] = [];
    const failing = await pathWith(pythonThatMakes('exit 1'));
    await failureOf(install(failing, lines));
    expect(await readdir(folder)).toEqual(['path']);

    const path = await pathWith(pythonThatMakes(`echo run >> ${folder}/runs`));
    const python = await install(path, lines);
    expect(python).toBe(join(folder, 'python', 'bin', 'python'));
    await install(path, lines);
    expect(await readFile(join(folder, 'runs'), 'utf8')).toBe('run\n');
    expect(lines).toHaveLength(2);

    await writeFile(join(folder, 'python', 'installed'), 'other requirements');
    await install(path, lines);
    expect(await readFile(join(folder, 'runs'), 'utf8')).toBe('run\nrun\n');
  });

  test('is complete after each of two concurrent starts, and the slower one keeps the faster one’s files', async () => {
    // The second installation to get here is slow.
    const path = await pathWith(pythonThatMakes(`/bin/mkdir ${folder}/first 2>/dev/null || /bin/sleep 1`));
    const both = [install(path), install(path)];
    await Promise.race(both);
    await writeFile(join(folder, 'python', 'in-use'), '');
    await Promise.all(both);
    expect((await readdir(join(folder, 'python'))).sort()).toEqual(['bin', 'in-use', 'installed']);
    expect((await readdir(folder)).sort()).toEqual(['first', 'path', 'python']);
  });

  test('removes the remains of an interrupted installation', async () => {
    const ended = spawn('true');
    await once(ended, 'exit');
    await mkdir(join(folder, `python-${ended.pid}`));
    await install(await pathWith(pythonThatMakes('exit 0')));
    expect((await readdir(folder)).sort()).toEqual(['path', 'python']);
  });

  test.each([
    ['no Python', 'exit 127', /Python 3.10 or newer .* no Python was found: install it/],
    ['an old Python', 'echo 3 9', /Python 3.10 or newer .* found is 3.9: install it/],
    [
      'no venv module',
      'if [ "$1" = -c ]; then echo 3 11; else echo "ensurepip is not available"; exit 1; fi',
      /apt-get install python3-venv/,
    ],
    [
      'no network',
      pythonThatMakes('echo "Failed to establish a new connection"; exit 1'),
      /could not be downloaded: check/,
    ],
    [
      'no file for its platform in the index',
      pythonThatMakes('echo "ERROR: No matching distribution found for x==1.0"; exit 1'),
      /does not offer the locked local cloud for this platform/,
    ],
    [
      'another file in the index',
      pythonThatMakes('echo "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES"; echo "Got        123"; exit 1'),
      /file of the local cloud does not have the locked hash: check/,
    ],
  ])('with %s fails with one sentence that says how to fix it', async (_what, script, expected) => {
    const message = await failureOf(install(await pathWith(script)));
    expect(message).toMatch(expected);
    expect(message).toMatch(ONE_SENTENCE);
  });
});

test('an emulator that fails at its start reports its log and leaves no other files', async () => {
  // This launcher does not find the packages of its Python.
  const environment = { PYTHONHOME: join(folder, 'nowhere') };
  const message = await failureOf(startEmulator({ folder, environment, log }));
  const logFile = join(folder, 'emulator.log');
  expect(message).toContain(logFile);
  expect(await readFile(logFile, 'utf8')).not.toBe('');
  expect(await readdir(folder)).toEqual(['emulator.log']);
});

type Credentials = RootKey & { sessionToken?: string };

const signedBy = (keyId: string) =>
  `AWS4-HMAC-SHA256 Credential=${keyId}/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0`;

/** Fails unless a page reaches the emulator only by an unchanged address that a function has signed. */
async function expectGenuineAddressesOnly({ url, credentials }: Emulator, Bucket: string): Promise<void> {
  const asPage = async (address: string | URL, options: http.RequestOptions = {}) => {
    const headers = { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors', ...options.headers };
    const { status, text } = await ask(String(address), { ...options, headers });
    return text.includes('foreign_origin') ? 'refused' : status;
  };
  const address = async (by: Credentials) => {
    const s3 = new S3Client({ endpoint: url, region: 'us-east-1', credentials: by, forcePathStyle: true });
    return new URL(await getSignedUrl(s3, new GetObjectCommand({ Bucket, Key: 'a b.wav' })));
  };
  const signed = await address(await asFunction({ url, credentials }, Bucket));
  expect(await asPage(signed)).toBe(200);
  expect(await asPage(signed, { headers: { origin: 'http://127.0.0.1:8080' } })).toBe(200);
  expect(await asPage(signed, { method: 'HEAD' })).not.toBe(200);

  const changed = (change: (forged: URL) => void) => {
    const forged = new URL(signed);
    change(forged);
    return forged;
  };
  const withQuery = (name: string, value: string) => changed(({ searchParams }) => searchParams.set(name, value));
  const root = `${credentials.accessKeyId}/20260101/us-east-1/s3/aws4_request`;
  const forgeries = [
    `${url}/_ministack/health?X-Amz-Signature=`,
    `${url}/_ministack/health?X-Amz-Signature=0`,
    `${url}/_ministack/health${signed.search}`,
    `${url}/${Bucket}${signed.search}`,
    withQuery('X-Amz-Signature', '0'.repeat(64)),
    withQuery('X-Amz-Signature', ''),
    withQuery('X-Amz-Signature', 'ü'),
    withQuery('X-Amz-Expires', '604800'),
    withQuery('X-Amz-Algorithm', 'AWS4-ECDSA-P256-SHA256'),
    withQuery('X-Amz-Credential', root),
    withQuery('X-Amz-Credential', 'test/20260101/us-east-1/s3/aws4_request'),
    withQuery('X-Amz-Credential', ''),
    withQuery('X-Amz-Security-Token', 'another'),
    withQuery('Action', 'DeleteObject'),
    changed((forged) => forged.searchParams.append('X-Amz-Signature', '0')),
    changed((forged) => forged.searchParams.delete('X-Amz-Date')),
    changed((forged) => forged.searchParams.delete('X-Amz-SignedHeaders')),
    await address({ accessKeyId: 'ASIAUNKNOWN', secretAccessKey: 'x' }),
    await address({ accessKeyId: credentials.accessKeyId, secretAccessKey: 'test' }),
  ];
  for (const forged of forgeries) expect([String(forged), await asPage(forged)]).toEqual([String(forged), 'refused']);
}

/** Creates a role that may read the bucket, with a file in it. @returns the role's credentials */
async function asFunction({ url, credentials }: Pick<Emulator, 'url' | 'credentials'>, Bucket: string) {
  const client = { endpoint: url, region: 'us-east-1', credentials };
  await new S3Client({ ...client, forcePathStyle: true }).send(
    new PutObjectCommand({ Bucket, Key: 'a b.wav', Body: 'RIFF' }),
  );
  const statement = { Effect: 'Allow', Action: 's3:GetObject', Resource: '*' };
  const trust = { Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: 'lambda.amazonaws.com' } };
  const documentOf = (Statement: object) => JSON.stringify({ Version: '2012-10-17', Statement });
  const RoleName = 'reader';
  const requests: Record<string, string>[] = [
    { Action: 'CreateRole', RoleName, AssumeRolePolicyDocument: documentOf(trust) },
    { Action: 'PutRolePolicy', RoleName, PolicyName: 'read', PolicyDocument: documentOf(statement) },
  ];
  for (const body of requests) {
    const headers = { authorization: signedBy(credentials.accessKeyId).replace('/s3/', '/iam/') };
    const answer = await fetch(url, { method: 'POST', headers, body: new URLSearchParams(body) });
    if (!answer.ok) throw new Error(await answer.text());
  }
  const assumed = await new STSClient(client).send(
    new AssumeRoleCommand({ RoleArn: `arn:aws:iam::000000000000:role/${RoleName}`, RoleSessionName: 'page' }),
  );
  const { AccessKeyId = '', SecretAccessKey = '', SessionToken = '' } = assumed.Credentials ?? {};
  return { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken };
}

test('a running emulator accepts a deployment, has a movable clock, and leaves only its log', async () => {
  const emulator = await startEmulator({ folder, log, origins: ['http://127.0.0.1:8080'] });
  try {
    const { credentials } = emulator;
    const client = { endpoint: emulator.url, credentials };
    await bootstrap(client);
    await bootstrap(client);
    const s3 = new S3Client({ endpoint: emulator.url, region: 'us-east-1', credentials });
    const Bucket = 'cdk-hnb659fds-assets-000000000000-us-east-1';
    expect((await s3.send(new GetBucketLocationCommand({ Bucket }))).$metadata.httpStatusCode).toBe(200);

    // An open web page cannot access it, not even with the key that other emulators accept.
    const { host } = new URL(emulator.url);
    const files = `${emulator.url}/${Bucket}`;
    for (const [, status, options] of pageRequests)
      for (const url of [files, `${emulator.url}/_ministack/health`]) {
        const allowed = {
          ...options,
          headers: { authorization: signedBy(credentials.accessKeyId), ...options.headers },
        };
        expect([options, (await ask(url, allowed)).status]).toEqual([options, status]);
      }
    const keys = [signedBy(credentials.accessKeyId), signedBy('test'), signedBy('000000000000'), ''];
    const statuses = keys.map(async (authorization) => {
      const { status } = await ask(files, { headers: { host, ...(authorization && { authorization }) } });
      return status === 200;
    });
    expect(await Promise.all(statuses)).toEqual([true, false, false, false]);
    await expectGenuineAddressesOnly(emulator, Bucket);

    // The emulator uses its own clock for the dates of its answers.
    const hoursAhead = async () => {
      const response = await fetch(`${emulator.url}/_ministack/health`);
      return ((Date.parse(response.headers.get('date') ?? '') - Date.now()) / 3_600_000).toFixed();
    };
    await moveClock(emulator, 7200);
    expect(await hoursAhead()).toBe('2');
    await moveClock(emulator, 0);
    expect(await hoursAhead()).toMatch(/^-?0$/);
  } finally {
    await Promise.all([emulator.stop(), emulator.stop()]);
  }
  expect(await emulator.exited).toEqual({ code: 0, signal: null });
  expect(isRunning(emulator.pid)).toBe(false);
  expect(await readdir(folder)).toEqual(['emulator.log']);
});

test('an emulator that hangs is killed', async () => {
  const emulator = await startEmulator({ folder, log });
  process.kill(emulator.pid, 'SIGSTOP');
  await emulator.stop();
  expect(await emulator.exited).toEqual({ code: null, signal: 'SIGKILL' });
});

test('an emulator exits with the program that started it, even if that program is killed', async () => {
  const program = `
    import { startEmulator } from ${JSON.stringify(join(import.meta.dirname, '../../local/cloud.ts'))};
    const emulator = await startEmulator({ folder: ${JSON.stringify(folder)}, log() {} });
    console.log(emulator.pid);`;
  const { child, printed } = startProgram(['--input-type=module', '-e', program]);
  await untilNoError(() => expect(printed.out).toMatch(/^\d+\n$/));
  const pid = Number(printed.out);
  expect(isRunning(pid)).toBe(true);
  child.kill('SIGKILL');
  await untilNoError(() => expect(isRunning(pid)).toBe(false));
  await expect(access(join(folder, 'emulator.log'))).resolves.toBeUndefined();
});
