import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Cloud } from '../../bin/admin/cloud/cloud.ts';
import { stackTracesIn } from '../../bin/admin/commands/stack-trace/frames.ts';
import { bundleFolder, bundleFunctions } from '../../lib/bundle.ts';
import { sourceMapsOf } from '../../lib/source-maps.ts';
import { runCollected } from '../support/admin/admin.ts';
import { askOffline, runOffline } from '../support/admin/offline-admin.ts';
import { read } from './support/sources.ts';

const NAME = 'schedule-release';
const folder = mkdtempSync(join(tmpdir(), 'stack-trace-'));

beforeAll(bundleFunctions, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts the packaged function without its settings, which it refuses. @returns the stack of its error */
function thrown(): string {
  const bundle = pathToFileURL(join(bundleFolder(NAME), 'index.mjs')).href;
  const program = `import(${JSON.stringify(bundle)}).catch(({ stack }) => process.stdout.write(stack))`;
  return spawnSync(process.execPath, ['-e', program], { env: {}, encoding: 'utf8' }).stdout;
}

/** `FILE:LINE:` of the only line of a file that contains the text. */
const lineOf = (path: string, text: string) =>
  `${path}:${
    read(path)
      .split('\n')
      .findIndex((line) => line.includes(text)) + 1
  }:`;
const refusing = lineOf('shared/runtime/config.ts', 'throw new Error(');
const entering = lineOf('functions/consumers/schedule-release.ts', 'readConfig({');

describe('admin stack-trace read', () => {
  it('names the files, lines and functions of an error that a packaged function throws', async () => {
    const stack = thrown();
    expect(stack).toMatch(/\n {4}at \w+ \(schedule-release\/index\.[0-9a-f]{12}\.mjs:\d+:\d+\)\n/);
    const file = join(folder, 'line.json');
    writeFileSync(file, JSON.stringify({ level: 'ERROR', error: { stack } }));
    const { code, stdout } = await runOffline(['stack-trace', 'read', file]);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`at readConfig (${refusing}`)]);
    expect(stdout).toContain('> throw new Error(');
    expect(stdout).toContain(`at ${entering}`);
    expect(stdout).not.toContain('.mjs');
  });

  const stack = 'Error: x\n    at a (dial-call/index.0123456789ab.mjs:1:2)';
  const line = JSON.stringify({ level: 'ERROR', error: { name: 'Error', location: 'dial-call/index:1', stack } });
  it.each([
    ['a bare stack', stack],
    ['a log line', line],
    ['several log lines of one error', `${line}\n{"level": "INFO"}\n${line}\n`],
    ['the cause of an error', JSON.stringify({ error: { stack: 'Error: y', cause: { stack } } })],
    ["the runtime's line", `2026-11-23T03:00:00Z\t1-2\tERROR\t${JSON.stringify({ stack: stack.split('\n') })}`],
    ['an answer of CloudWatch Logs', JSON.stringify({ events: [{ message: line }] }, null, 2)],
  ])('finds the stack in %s', (_, text) => {
    expect(stackTracesIn(text)).toEqual([stack]);
  });

  it('refuses to read a trace of another bundle with the map of this checkout', async () => {
    const other = 'schedule-release/index.ffffffffffff.mjs';
    const stack = thrown().replaceAll(/schedule-release\/index\.[0-9a-f]+\.mjs/g, other);
    const { code, body } = await askOffline(['stack-trace', 'read'], stack);
    expect([code, body]).toMatchObject([1, { error: 'other_bundle', bundle: other }]);
    expect(body.message).toContain(`This checkout makes ${body.bundle_of_checkout}`);
    const gone = await askOffline(['stack-trace', 'read'], stack.replaceAll('schedule-release/', 'no-function/'));
    expect(gone.body).toMatchObject({ error: 'other_bundle', message: expect.stringContaining('no such function') });
  });

  it('reads a trace of a former version with the map that its deployment stored', async () => {
    const [map] = await sourceMapsOf([NAME]);
    const former = 'schedule-release/index.0123456789ab.mjs';
    const stored = gzipSync(JSON.stringify({ ...map, file: former }));
    const objects: Record<string, Buffer> = { 'source-maps/schedule-release/index.0123456789ab.json.gz': stored };
    const client = {
      send: async ({ input }: { input: { Bucket: string; Key: string } }) => {
        const found = input.Bucket === 'assets' && objects[input.Key];
        if (!found) throw Object.assign(new Error('no such key'), { name: 'NoSuchKey' });
        return { Body: { transformToByteArray: async () => found } };
      },
    };
    const place = { stage: 'prod', region: 'us-east-1', emulatorUrl: undefined };
    const cloud = { place, sourceMapsBucket: async () => 'assets', s3: () => client } as unknown as Cloud;
    const ask = (bundle: string) => {
      const input = thrown().replaceAll(/schedule-release\/index\.[0-9a-f]+\.mjs/g, bundle);
      return runCollected(['stack-trace', 'read'], { cloud, input });
    };
    expect((await ask(former)).stdout).toContain(`at readConfig (${refusing}`);
    expect((await ask('schedule-release/index.ba9876543210.mjs')).stderr).toContain(
      'stage prod has no source map of it',
    );
  });

  it.each([
    ['an empty input', ''],
    ['a sentence', 'the function failed'],
    ['a log line without a stack', '{"level": "INFO", "message": "dialed"}'],
    ['a stack of a version that names no bundle', 'Error: x\n    at a (file:///var/task/index.mjs:1:2)'],
    ['a text that only mentions a bundle', 'see dial-call/index.0123456789ab.mjs:1:2'],
    [
      'a text that is far too long',
      `Error: x\n    at a (dial-call/index.0123456789ab.mjs:1:2)${' '.repeat(1024 * 1024)}`,
    ],
  ])('refuses %s', async (_, input) => {
    expect(await askOffline(['stack-trace', 'read'], input)).toEqual({
      code: 1,
      body: { error: 'invalid_value', message: expect.stringMatching(/^The input .*\.$/) },
    });
  });

  it('refuses a file that does not exist', async () => {
    const { body } = await askOffline(['stack-trace', 'read', join(folder, 'none.json')]);
    expect(body).toMatchObject({ error: 'invalid_value', message: expect.stringContaining('ENOENT') });
  });
});
