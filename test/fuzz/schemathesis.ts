import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { FUZZER } from '../../local/python-environment.mjs';
import { installTool, toolEnvironment } from '../support/runner/python-tool.ts';
import type { Statuses } from './counts.ts';
import { readableFiles, type Target } from './targets.ts';

const HOOKS = fileURLToPath(new URL('hooks.py', import.meta.url));
/** The time for one process. On two quiet cores a request of a route takes 30 to 60 ms, with its generation. */
const MAX_MILLISECONDS = 40 * 60_000;
/** A failure is printed with its request and its answer. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Skipped checks: unknown methods answer 404 here, and the limits of sizes and addresses exceed a schema. */
const UNCHECKED = ['unsupported_method', 'positive_data_acceptance'];

/**
 * Ignores values of earlier answers, because the targets name existing items; if an item of an answer is removed
 * meanwhile, the run of its route ends. Adds 413 and 431 to the default statuses of a refusal: an invalid body or
 * address may also be too large.
 */
const CONFIGURATION = `
[phases.fuzzing.extra-data-sources]
responses = false

[checks.negative_data_rejection]
expected-statuses = [400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 428, 429, 431, "5xx"]
`;

type Fuzzing = {
  url: string;
  /** The path of the OpenAPI document. */
  document: string;
  /** Existing values, by method and path. */
  targets: Record<string, Target[]>;
  /** Method and path of the only route to fuzz; undefined for all routes. */
  route?: string;
  /** Requests for each route. */
  examples: number;
  seed: number;
};

type Fuzzed = {
  /** 0 if all answers were correct. */
  code: number;
  /** The output of the fuzzer, or a note that the process took too long. */
  output: string;
  /** The number of generated requests. */
  cases: number;
  /** How often each status was answered, by method and path, without the checks of the authentication. */
  statuses: Statuses;
};

/** @returns the Python with the fuzzer; undefined if its packages cannot be downloaded here, except in CI */
export const installFuzzer = (): Promise<string | undefined> => installTool(FUZZER, 'The API is not fuzzed');

/** Sends random requests, made from an OpenAPI document, and checks each answer against it. */
export async function fuzz(
  python: string,
  { url, document, targets, route, examples, seed }: Fuzzing,
): Promise<Fuzzed> {
  const folder = await mkdtemp(join(tmpdir(), 'calling-service-fuzz-'));
  const statusesFile = join(folder, 'statuses');
  const targetsFile = join(folder, 'targets.json');
  const given = JSON.stringify({ targets, files: readableFiles });
  await Promise.all([
    writeFile(statusesFile, ''),
    writeFile(targetsFile, given),
    writeFile(join(folder, 'schemathesis.toml'), CONFIGURATION),
  ]);
  const headers: Target['headers'] = Object.assign({}, ...Object.values(targets).map(([first]) => first?.headers));
  const options = {
    url,
    phases: 'fuzzing',
    'max-examples': examples,
    'max-redirects': 0,
    'request-timeout': 60,
    'exclude-checks': UNCHECKED.join(','),
    warnings: 'off',
    // A busy machine generates slowly.
    'suppress-health-check': 'all',
    // Each worker fuzzes one route at a time.
    workers: 4,
    seed,
    ...(route !== undefined && { 'include-name': route }),
    // In other modes and with the fixed seed, most bodies would not be objects, so they could not contain a proof.
    ...(targets[route ?? '']?.every(({ frame }) => frame) && { mode: 'positive' }),
  };
  const args = [
    // Runs the module, because its script contains the path of the folder in which it was built.
    ...['-m', 'schemathesis.cli', 'run'],
    url + document,
    '--continue-on-failure',
    '--no-color',
    ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]),
    ...Object.entries(headers ?? {}).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
  ];
  const variables = { SCHEMATHESIS_HOOKS: HOOKS, FUZZ_TARGETS: targetsFile, FUZZ_STATUSES: statusesFile };
  const env = toolEnvironment(variables);
  const limits = { timeout: MAX_MILLISECONDS, maxBuffer: MAX_OUTPUT_BYTES };
  try {
    const { code, output } = await promisify(execFile)(python, args, { env, cwd: folder, ...limits }).then(
      ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
      ({ code, killed, stdout, stderr }: Failed) => ({
        code: Number(code ?? 1),
        output: `${killed ? `not over after ${MAX_MILLISECONDS / 60_000} minutes\n` : ''}${stdout}${stderr}`,
      }),
    );
    const cases = Number(/(\d+) generated/.exec(output)?.[1] ?? 0);
    return { code, output, cases, statuses: countsOf(await readFile(statusesFile, 'utf8')) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type Failed = { code: number | null; killed: boolean; stdout: string; stderr: string };

function countsOf(lines: string): Statuses {
  const statuses: Statuses = {};
  for (const line of lines.split('\n').filter(Boolean)) {
    const end = line.lastIndexOf(' ');
    const [route, status] = [line.slice(0, end), line.slice(end + 1)];
    statuses[route] ??= {};
    const counts = statuses[route];
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return statuses;
}
