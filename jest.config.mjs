/** Every suite is a project of its own, so that `npm test` can run and name them one by one (test/run.ts). */
const suite = (name, { folders = [name], setupFilesAfterEnv = [], ...more } = {}) => ({
  displayName: name,
  testMatch: folders.map((folder) => `<rootDir>/test/${folder}/**/*.test.ts`),
  // Jest's own runner loads every module again for each file, which took most of the time of the unit tests. This one
  // runs the files as Node.js does: they share modules and their state.
  runner: 'jest-light-runner',
  setupFilesAfterEnv: ['<rootDir>/test/support/runner/time-limit.ts', ...setupFilesAfterEnv],
  // Node.js reads TypeScript itself.
  transform: {},
  // Otherwise each start of Jest would read the files that tools write there.
  modulePathIgnorePatterns: ['<rootDir>/(\\.local|cdk\\.out|dist)/'],
  ...more,
});

/** Fails a unit test if an operation logs a secret or a person. Suites with a cloud search its logs at their end. */
const LINES = '<rootDir>/test/support/logs/lines-reveal-nothing.ts';

const withStack = {
  globalSetup: '<rootDir>/test/support/stack/start-stack.ts',
  globalTeardown: '<rootDir>/test/support/stack/stop-stack.ts',
};

const inBrowser = { ...withStack, globalTeardown: '<rootDir>/test/browser/support/stop-browser.ts' };

export default {
  projects: [
    suite('unit', { setupFilesAfterEnv: [LINES] }),
    suite('infra'),
    suite('contracts'),
    suite('local'),
    suite('e2e', withStack),
    suite('browser', inBrowser),
    // Browser and e2e tests that share a cloud (test/runner/parts.ts). The runner cannot run two projects in one
    // process.
    suite('browser-e2e', { ...inBrowser, folders: ['browser', 'e2e'] }),
    suite('faults', withStack),
    suite('rights'),
  ],
};
