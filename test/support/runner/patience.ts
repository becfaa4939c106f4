import { jest } from '@jest/globals';

// A bound for a busy two-core machine, which stops hanging tests; not an expectation.
jest.setTimeout(300_000);
