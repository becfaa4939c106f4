import '../support/silence.ts';
import { readFileSync } from 'node:fs';
import { logger } from '../../../shared/runtime/logger.ts';
import { logCases, writtenBy } from '../support/log-cases.ts';

const golden = JSON.parse(readFileSync('test/unit/runtime/golden/log-lines.json', 'utf8')) as Record<string, string[]>;

/** Writes lines with these variables. */
function linesWith(variables: Record<string, string>, work: () => void): string[] {
  const former = { ...process.env };
  logger.resetKeys();
  Object.assign(process.env, variables);
  try {
    return writtenBy(work);
  } finally {
    logger.resetKeys();
    for (const name of Object.keys(variables)) {
      const value = former[name];
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

const deployed = { LOG_LEVEL: 'INFO', SERVICE_NAME: 'get-call', _X_AMZN_TRACE_ID: '' };
const writeOne = () => logger.info('x', { a: 1 });

describe('a log line', () => {
  it.each(Object.entries(logCases))('has the form of Powertools: %s', (name, work) => {
    expect(linesWith(deployed, () => work(logger))).toEqual(golden[name]);
  });

  it.each(['Root=1-2-3;Parent=4;Sampled=1', 'Parent=4;Root=1-2-3', '1-2-3'])('names the trace in %s', (header) => {
    expect(linesWith({ ...deployed, _X_AMZN_TRACE_ID: header }, writeOne)).toEqual(golden['the trace']);
  });

  it('is written only from the level of the environment on', () => {
    const writeAll = () => {
      logger.info('one');
      logger.warn('two');
      logger.error('three');
    };
    const levelsWith = (level: string) =>
      linesWith({ ...deployed, LOG_LEVEL: level }, writeAll).map((line) => /"level":"(\w+)"/.exec(line)?.[1]);
    expect(levelsWith('DEBUG')).toEqual(['INFO', 'WARN', 'ERROR']);
    expect(levelsWith('WARN')).toEqual(['WARN', 'ERROR']);
    expect(levelsWith('ERROR')).toEqual(['ERROR']);
    expect(levelsWith('SILENT')).toEqual([]);
  });

  it.each(['cause', 'parent'])('names an error whose %s leads back to it once', (member) => {
    const outer = new Error('outer');
    Object.assign(outer, { [member]: Object.assign(new Error('inner'), { [member]: outer }) });
    const [line = ''] = linesWith(deployed, () => logger.error('failed', { error: outer }));
    const { error } = JSON.parse(line.replace(/^stderr /, ''));
    expect([error.message, error[member].message, error[member][member]]).toEqual(['outer', 'inner', undefined]);
  });

  it('names an error twice if two fields have it', () => {
    const error = new Error('same');
    const [line = ''] = linesWith(deployed, () => logger.error('failed', { error, other: { error } }));
    expect(line.match(/"message":"same"/g)).toHaveLength(2);
  });
});
