import { fileURLToPath } from 'node:url';
import config from '../../jest.config.mjs';
import { chosenRules } from './rules.ts';

export default {
  ...config.projects.find(({ displayName }) => displayName === 'unit'),
  rootDir: fileURLToPath(new URL('../..', import.meta.url)),
  testMatch: chosenRules().tests.map((pattern) => `<rootDir>/test/unit/${pattern}.test.ts`),
};
