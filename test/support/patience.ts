import { jest } from '@jest/globals';

// Bounds for a busy machine with two cores, not expectations: a test that hangs is stopped by them.
jest.setTimeout(300_000);
