import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { installTool } from '../support/python-tool.ts';

const PACKAGES = { name: 'fuzzer', requirements: 'test/fuzz/requirements.txt', folder: 'fuzz', compilesWhenUsed: true };
const HOOKS = fileURLToPath(new URL('hooks.py', import.meta.url));

/** Not checked: unknown methods answer 404 here, and sizes and addresses are refused beyond what a schema can say. */
const UNCHECKED = ['unsupported_method', 'positive_data_acceptance'];

type Fuzzing = {
  url: string;
  headers: Record<string, string>;
  /** Values that exist, by path or by `body` and path. */
  known: Record<string, Record<string, string>>;
  /** Requests for each route. */
  examples: number;
  seed: number;
};

type Fuzzed = { code: number; output: string; cases: number };

/** @returns the Python that has the fuzzer; undefined if its packages cannot be downloaded here, except in CI */
export const installFuzzer = (): Promise<string | undefined> => installTool(PACKAGES, 'The API is not fuzzed');

/**
 * Sends random requests, made from /openapi.json, and checks each answer against it.
 * @returns the fuzzer's exit code, which is 0 if all answers were right, what it printed, and how many requests it made
 */
export async function fuzz(python: string, { url, headers, known, examples, seed }: Fuzzing): Promise<Fuzzed> {
  const folder = await mkdtemp(join(tmpdir(), 'calling-service-fuzz-'));
  const options = {
    url,
    phases: 'fuzzing',
    'max-examples': examples,
    'max-redirects': 0,
    'request-timeout': 60,
    'exclude-checks': UNCHECKED.join(','),
    warnings: 'off',
    seed,
  };
  const args = [
    // Not by its script, which names the folder in which it was built.
    ...['-m', 'schemathesis.cli', 'run'],
    `${url}/openapi.json`,
    '--continue-on-failure',
    '--no-color',
    ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]),
    ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
  ];
  const env = { ...process.env, SCHEMATHESIS_HOOKS: HOOKS, FUZZ_VALUES: JSON.stringify(known) };
  try {
    const { code, stdout, stderr } = await promisify(execFile)(python, args, { env, cwd: folder }).then(
      (done) => ({ code: 0, ...done }),
      (failed: { code: number; stdout: string; stderr: string }) => failed,
    );
    return { code, output: stdout + stderr, cases: Number(/(\d+) generated/.exec(stdout)?.[1] ?? 0) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
