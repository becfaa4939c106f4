import { fileURLToPath } from 'node:url';
import config from '../../jest.config.mjs';
import { chosenRules } from './rules.ts';

// Stryker needs jest's own runner, which the unit tests do not use.
const onJestsRunner = config.projects.find(({ displayName }) => displayName === 'contracts');

export default {
  ...onJestsRunner,
  displayName: 'unit',
  rootDir: fileURLToPath(new URL('../..', import.meta.url)),
  testEnvironment: fileURLToPath(new URL('environment.mjs', import.meta.url)),
  testMatch: [`<rootDir>/test/unit/domain/${chosenRules().files}.test.ts`],
  setupFilesAfterEnv: [...onJestsRunner.setupFilesAfterEnv, '<rootDir>/test/mutation/properties.ts'],
  watchman: false,
};
