import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Accepted, readExceptions } from './audit/exceptions.ts';
import { advisoriesOutcome, type Outcome, type Ran, signaturesOutcome } from './audit/outcomes.ts';

/**
 * `npm run audit`: verifies the registry's signatures of the installed packages and queries it for known
 * vulnerabilities of the packages in each lock file. Dependabot watches the Python packages.
 *
 * A check that the registry does not offer is reported as `skipped`; with `--required`, it counts as a failure. The
 * exceptions in `.github/audit-exceptions.json` are reported as `accepted` and do not fail (docs/deploy.md, "If the
 * audit stops a deployment"). Other arguments name the checks to run.
 */
const MAX_MILLISECONDS = 120_000;
/** A report names every advisory of every path. */
const MAX_BYTES = 64 * 1024 * 1024;
/** A registry without the service may not answer at all, so give up soon. */
const quick = ['--fetch-retries=0', '--fetch-timeout=15000'];

/** The folders of the other lock files, whose packages only one command installs. */
const otherFolders = ['test/mutation', 'test/bench/cold'];

const EXCEPTIONS = new URL('../.github/audit-exceptions.json', import.meta.url);

const checks: Record<string, (accepted: Accepted) => Outcome[]> = {
  signatures: (accepted) => [signaturesOutcome(npm('audit', 'signatures', ...quick), accepted)],
  advisories: (accepted) => ['.', ...otherFolders].map((folder) => advisoriesOf(folder, accepted)),
};

/** Queries the registry for the packages of a lock file, which need not be installed. */
function advisoriesOf(folder: string, accepted: Accepted): Outcome {
  const options = ['--json', '--audit-level=high', '--package-lock-only', '--prefix', folder];
  const outcome = advisoriesOutcome(npm('audit', ...options, ...quick), accepted);
  return folder === '.' ? outcome : { ...outcome, sentence: `${folder}: ${outcome.sentence}` };
}

function npm(...args: string[]): Ran {
  // Under `npm run`, use the npm that is running: it need not be on PATH.
  const script = process.env.npm_execpath;
  const [program, first] = script?.endsWith('.js') ? [process.execPath, [script]] : ['npm', []];
  const options = { encoding: 'utf8', timeout: MAX_MILLISECONDS, maxBuffer: MAX_BYTES } as const;
  const { status, stdout, stderr } = spawnSync(program, [...first, ...args], options);
  return { code: status, output: `${stderr ?? ''}\n${stdout ?? ''}` };
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { required: { type: 'boolean', default: false } },
});
const accepted = readExceptions(readFileSync(EXCEPTIONS, 'utf8'), new Date().toISOString().slice(0, 10));
for (const name of positionals.length > 0 ? positionals : Object.keys(checks)) {
  const unknown: Outcome = {
    kind: 'failed',
    sentence: `unknown check; the checks are ${Object.keys(checks).join(', ')}`,
  };
  for (const { kind, sentence } of checks[name]?.(accepted) ?? [unknown]) {
    console.log(`${name}: ${kind}: ${sentence}`);
    if (kind === 'failed' || (kind === 'skipped' && values.required)) process.exitCode = 1;
  }
}
