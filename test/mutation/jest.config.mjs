import { fileURLToPath } from 'node:url';
import { chosenRules } from './rules.ts';

/** Stryker needs jest's own runner, which the suites do not use (docs/decisions/0026). */
export default {
  displayName: 'unit',
  rootDir: fileURLToPath(new URL('../..', import.meta.url)),
  modulePathIgnorePatterns: ['<rootDir>/(\\.local|cdk\\.out|dist)/'],
  testEnvironment: fileURLToPath(new URL('environment.mjs', import.meta.url)),
  testMatch: [`<rootDir>/test/unit/domain/${chosenRules().files}.test.ts`],
  setupFilesAfterEnv: ['<rootDir>/test/mutation/properties.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': ['@swc/jest', { jsc: { target: 'es2024', parser: { syntax: 'typescript' } } }] },
  // Bounds a hanging test on a busy two-core machine.
  testTimeout: 300_000,
  watchman: false,
};
