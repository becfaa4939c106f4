import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readPlan, UsageError } from './new-function/plan.ts';
import { writeFunction } from './new-function/write.ts';

/** `npm run new:function`: writes a Lambda function with its operation, tests and rows, ready for editing. */
const root = fileURLToPath(new URL('..', import.meta.url));

try {
  const paths = writeFunction(root, readPlan(process.argv.slice(2)));
  const code = paths.filter((path) => path.endsWith('.ts'));
  spawnSync(join(root, 'node_modules', '.bin', 'biome'), ['check', '--write', ...code], { cwd: root, stdio: 'ignore' });
  console.log(paths.join('\n'));
  console.log('\nNext: change the operation and its tests, then run npm run check and npm test -- infra.');
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
