/** Every suite is a project of its own, so that `npm test` can run and name them one by one (test/run.ts). */
const common = {
  testEnvironment: 'node',
  // Each start of jest would read what tools have written there.
  modulePathIgnorePatterns: ['<rootDir>/(\\.local|cdk\\.out|dist)/'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': ['@swc/jest', { jsc: { target: 'es2024', parser: { syntax: 'typescript' } } }] },
};

const suite = (name, more = {}) => ({
  ...common,
  displayName: name,
  testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
  ...more,
});

/**
 * Jest's own runner loads every module again for each file, which took most of the time of the unit tests. This one
 * runs the files as Node.js does: they share modules, and the state of these.
 */
const shared = {
  runner: 'jest-light-runner',
  setupFilesAfterEnv: ['<rootDir>/test/support/runner/time-limit.ts'],
};

/** For tests that replace modules, or run tests of a file at once. */
const isolated = { setupFilesAfterEnv: ['<rootDir>/test/support/runner/patience.ts'] };

/** Searches what operations log in the tests' world. The suites with a cloud search its logs at their end. */
const LINES = '<rootDir>/test/support/logs/lines-reveal-nothing.ts';

const withStack = {
  globalSetup: '<rootDir>/test/support/stack/start-stack.ts',
  globalTeardown: '<rootDir>/test/support/stack/stop-stack.ts',
};

export default {
  projects: [
    suite('unit', { ...shared, setupFilesAfterEnv: [...shared.setupFilesAfterEnv, LINES] }),
    suite('infra', shared),
    suite('contracts', isolated),
    suite('local', isolated),
    suite('e2e', { ...shared, ...withStack }),
    suite('browser', { ...shared, ...withStack, globalTeardown: '<rootDir>/test/browser/support/stop-browser.ts' }),
    suite('faults', { ...shared, ...withStack }),
    suite('rights', shared),
  ],
};
