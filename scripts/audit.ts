import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { advisoriesOutcome, type Outcome, type Ran, signaturesOutcome } from './audit/outcomes.ts';

/**
 * `npm run audit`: verifies the registry's signatures of the installed packages and queries it for known
 * vulnerabilities.
 *
 * A registry that offers neither is reported as `skipped`, and with `--required` as a failure. Other arguments name the
 * checks to run.
 */
const MOST_MILLISECONDS = 120_000;
/** A registry without the service may not answer at all, so give up soon. */
const quick = ['--fetch-retries=0', '--fetch-timeout=15000'];

const checks: Record<string, () => Outcome> = {
  signatures: () => signaturesOutcome(npm('audit', 'signatures', ...quick)),
  advisories: () => advisoriesOutcome(npm('audit', '--json', '--audit-level=high', ...quick)),
};

function npm(...args: string[]): Ran {
  // Under `npm run`, use the npm that is running: it need not be on PATH.
  const script = process.env.npm_execpath;
  const [program, first] = script?.endsWith('.js') ? [process.execPath, [script]] : ['npm', []];
  const options = { encoding: 'utf8', timeout: MOST_MILLISECONDS } as const;
  const { status, stdout, stderr } = spawnSync(program, [...first, ...args], options);
  return { code: status, output: `${stderr ?? ''}\n${stdout ?? ''}` };
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { required: { type: 'boolean', default: false } },
});
for (const name of positionals.length > 0 ? positionals : Object.keys(checks)) {
  const outcome = checks[name]?.() ?? { kind: 'failed', sentence: `there are only ${Object.keys(checks).join(', ')}` };
  console.log(`${name}: ${outcome.kind}: ${outcome.sentence}`);
  if (outcome.kind === 'failed' || (outcome.kind === 'skipped' && values.required)) process.exitCode = 1;
}
