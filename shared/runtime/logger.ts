import { type Fields, lineOf } from './log-lines.ts';

const levels = ['DEBUG', 'INFO', 'WARN', 'ERROR', 'SILENT'];
type Level = 'INFO' | 'WARN' | 'ERROR';

/** Fields of all further lines of the current request, message or run. */
let keys: Fields = {};

function write(level: Level, message: string, fields: Fields = {}): void {
  const { LOG_LEVEL = 'INFO' } = process.env;
  if (levels.indexOf(level) < levels.indexOf(LOG_LEVEL)) return;
  const stream = level === 'INFO' ? process.stdout : process.stderr;
  stream.write(`${lineOf(level, message, keys, fields)}\n`);
}

/**
 * Logs one JSON line per fact: ids, outcomes and numbers, never a phone number, token, transcript or body.
 * The function's name and the log level come from the environment (SERVICE_NAME, LOG_LEVEL). Its lines are those of
 * Powertools, whose logger takes longer to load (docs/decisions/0039-a-cold-start-loads-only-its-code.md).
 */
export const logger = {
  info: (message: string, fields?: Fields): void => write('INFO', message, fields),
  warn: (message: string, fields?: Fields): void => write('WARN', message, fields),
  error: (message: string, fields?: Fields): void => write('ERROR', message, fields),

  /** Adds fields to all further lines, until `resetKeys`. */
  appendKeys(more: Fields): void {
    keys = { ...keys, ...more };
  },

  resetKeys(): void {
    keys = {};
  },
};
