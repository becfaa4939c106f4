import * as z from 'zod/mini';
import { flag, integer, readConfig } from '../../../shared/runtime/config.ts';

const shape = { TABLE: z.string(), URL: z.url(), SLOTS: integer, IS_LOCAL: flag };
const good = { TABLE: 'calls', URL: 'https://api.example', SLOTS: '10', IS_LOCAL: 'false', OTHER: 'left aside' };
const failure = (environment: Record<string, string | undefined>) => {
  try {
    readConfig(shape, environment);
  } catch (error) {
    return (error as Error).message;
  }
  return undefined;
};

describe('the settings of a function', () => {
  it('are read with their types, and others are ignored', () => {
    expect(readConfig(shape, good)).toEqual({ TABLE: 'calls', URL: 'https://api.example', SLOTS: 10, IS_LOCAL: false });
    expect(readConfig({ IS_LOCAL: flag }, { IS_LOCAL: 'true' })).toEqual({ IS_LOCAL: true });
  });

  it('are refused with the names of all missing or invalid ones', () => {
    expect(failure({})).toBe('missing or wrong settings: TABLE, URL, SLOTS, IS_LOCAL');
    expect(failure({ ...good, URL: 'x', SLOTS: '-1' })).toBe('missing or wrong settings: URL, SLOTS');
  });

  it('never appear in an error', () => {
    const message = failure({ TABLE: undefined, URL: 'hunter2', SLOTS: 'hunter3', IS_LOCAL: 'hunter4' });
    expect(message).not.toContain('hunter');
  });

  it.each(['', ' 1', '1.5', '1e3', '-1', '0x10', 'ten'])('refuse %j for a whole number', (SLOTS) => {
    expect(failure({ ...good, SLOTS })).toBe('missing or wrong settings: SLOTS');
  });

  it.each(['', '1', 'TRUE', 'yes'])('refuse %j for true or false', (IS_LOCAL) => {
    expect(failure({ ...good, IS_LOCAL })).toBe('missing or wrong settings: IS_LOCAL');
  });

  it('are read from the environment of the process by default', () => {
    process.env.TEST_OF_CONFIG = 'yes';
    expect(readConfig({ TEST_OF_CONFIG: z.string() })).toEqual({ TEST_OF_CONFIG: 'yes' });
    delete process.env.TEST_OF_CONFIG;
  });
});
