import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { TEMPLATE_LINTER } from '../../local/python-environment.mjs';
import { installTool, toolEnvironment } from '../support/runner/python-tool.ts';

/** Long enough for a busy machine, and less than the limit of a test. */
const MILLISECONDS = 9 * 60_000;

/** Rules that are not applied, each with its reason. Every other error or warning fails the test. */
const IGNORED = {
  I: 'Informational findings are style.',
  W3005: 'The CDK writes DependsOn for a role that the function also names: a harmless repeat.',
};

/** A finding of cfn-lint: its rule, its message and its location. */
type Finding = { rule: string; message: string; at: string };

/** cfn-lint's JSON output. */
type Match = { Rule: { Id: string }; Message: string; Filename: string; Location: { Path?: unknown[] } };

/**
 * Starts cfn-lint, which checks CloudFormation templates by the schemas of the resource types in these
 * regions.
 * @param templates by the name of their stack
 * @returns once it runs: the promise of its findings, or of undefined if cfn-lint cannot be downloaded here, except in
 * CI. The promise is rejected if cfn-lint itself fails.
 * @throws OperatorError in CI if it cannot be downloaded
 */
export async function startLint(
  templates: Record<string, object>,
  regions: readonly string[],
): Promise<{ findings: Promise<Finding[] | undefined> }> {
  const python = await installTool(TEMPLATE_LINTER, 'The templates are not linted');
  if (!python) return { findings: Promise.resolve(undefined) };
  const folder = await mkdtemp(join(tmpdir(), 'calling-service-lint-'));
  const files = await Promise.all(
    Object.entries(templates).map(async ([name, template]) => {
      const file = join(folder, `${name}.json`);
      await writeFile(file, JSON.stringify(template));
      return file;
    }),
  );
  // Runs the module, because the installed script contains the path of the folder in which it was built.
  // It ends soon and needs no garbage collection, which takes 7 % of its time.
  const program = 'import gc; gc.disable(); from cfnlint.runner import main; main()';
  const options = ['--regions', ...regions, '--ignore-checks', ...Object.keys(IGNORED), '--format', 'json'];
  const findings = promisify(execFile)(
    python,
    ['-c', program, ...options, '--non-zero-exit-code', 'none', '--template', ...files],
    { cwd: folder, env: toolEnvironment(), timeout: MILLISECONDS, maxBuffer: 64 * 1024 * 1024 },
  )
    .then(({ stdout }) =>
      (JSON.parse(stdout) as Match[]).map(({ Rule, Message, Filename, Location }) => ({
        rule: Rule.Id,
        message: Message,
        at: `${Filename.slice(folder.length + 1)}: ${Location.Path?.join('/')}`,
      })),
    )
    .finally(() => rm(folder, { recursive: true, force: true }));
  // The caller may wait for it later.
  findings.catch(() => undefined);
  return { findings };
}
