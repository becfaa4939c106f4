import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chosenRules } from './rules.ts';

const { name, files } = chosenRules();

export default {
  mutate: [`shared/domain/${files}.ts`],
  testRunner: 'jest',
  plugins: ['@stryker-mutator/jest-runner'],
  jest: { projectType: 'custom', configFile: 'test/mutation/jest.config.mjs' },
  testRunnerNodeArgs: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
  coverageAnalysis: 'perTest',
  concurrency: 1,
  // A mutant that never ends counts as killed. A test that is only slow, on a busy machine, must not.
  timeoutMS: 60_000,
  timeoutFactor: 5,
  // Jest's modules stay in the memory of a worker.
  maxTestRunnerReuse: 100,
  thresholds: { high: 100, low: 95, break: 95 },
  // Outside the checkout, whose copy would be a second set of modules for jest.
  tempDirName: join(tmpdir(), `calling-service-mutation-${name}-${process.pid}`),
  ignorePatterns: [
    '**',
    '!package.json',
    '!jest.config.mjs',
    '!{bin,lib,shared,test/unit,test/support,test/mutation}/**',
  ],
  reporters: ['clear-text', 'progress-append-only', 'json'],
  clearTextReporter: { reportTests: false, logTests: false },
  jsonReporter: { fileName: `.local/mutation-${name}.json` },
  allowConsoleColors: false,
};
