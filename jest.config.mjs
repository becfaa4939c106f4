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
  setupFilesAfterEnv: ['<rootDir>/test/support/patience.ts'],
  testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
  ...more,
});

export default {
  projects: [
    suite('unit'),
    suite('infra'),
    suite('contracts'),
    suite('local'),
    suite('e2e', {
      globalSetup: '<rootDir>/test/support/start-stack.ts',
      globalTeardown: '<rootDir>/test/support/stop-stack.ts',
    }),
    suite('browser', {
      globalSetup: '<rootDir>/test/support/start-stack.ts',
      globalTeardown: '<rootDir>/test/support/stop-stack.ts',
    }),
    suite('faults', {
      globalSetup: '<rootDir>/test/support/start-stack.ts',
      globalTeardown: '<rootDir>/test/support/stop-stack.ts',
    }),
  ],
};
