import { fileURLToPath } from 'node:url';
import config from '../../jest.config.mjs';
import { chosenRules } from './rules.ts';

const unit = config.projects.find(({ displayName }) => displayName === 'unit');

export default {
  ...unit,
  rootDir: fileURLToPath(new URL('../..', import.meta.url)),
  testEnvironment: fileURLToPath(new URL('environment.mjs', import.meta.url)),
  testMatch: [`<rootDir>/test/unit/domain/${chosenRules().files}.test.ts`],
  setupFilesAfterEnv: [...unit.setupFilesAfterEnv, '<rootDir>/test/mutation/properties.ts'],
  watchman: false,
};
