import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installOwnPackages } from '../support/runner/own-packages.ts';
import { rules } from './rules.ts';

/**
 * `npm run mutate`: changes the central rules one expression at a time and expects the unit tests to notice. Fails if
 * fewer than 95 % of the mutants of one set of rules are killed (docs/decisions/0021).
 *
 *   npm run mutate                  all rules
 *   npm run mutate -- time credit   only these
 */
const root = fileURLToPath(new URL('../..', import.meta.url));
const manifests = join(root, 'test', 'mutation');
const home = join(root, '.local', 'mutation');

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in rules));
if (unknown.length > 0) {
  console.error(`There are no rules ${unknown.join(', ')}, only ${Object.keys(rules).join(', ')}.`);
  process.exit(2);
}
// No other command needs its 177 packages.
installOwnPackages(manifests, home);
const failed = (asked.length > 0 ? asked : Object.keys(rules)).filter((name) => !isWellTested(name));
console.log(failed.length === 0 ? 'All rules are well tested.' : `Below 95 %: ${failed.join(', ')}`);
process.exit(failed.length === 0 ? 0 : 1);

function isWellTested(name: string): boolean {
  console.log(`\n=== ${name}`);
  const stryker = join(home, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js');
  const { status } = spawnSync(process.execPath, [stryker, 'run', 'test/mutation/stryker.config.mjs'], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, MUTATED_RULES: name },
  });
  return status === 0;
}
