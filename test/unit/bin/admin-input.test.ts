import { truncateSync } from 'node:fs';
import { numbersOfFile } from '../../../bin/admin/commands/dnc/file.ts';
import { aFile, askOffline } from '../../support/admin/offline-admin.ts';

const MB = 1024 * 1024;

/** Streams 100 MB, and counts the parts of 1 MB that were read. */
function aLongInput() {
  const part = Buffer.alloc(MB, ' ');
  const counted = { parts: 0 };
  async function* input() {
    while (counted.parts < 100) {
      counted.parts += 1;
      yield part;
    }
  }
  return Object.assign(counted, { input: input() });
}

/** Writes a file of this size, without using the disk. */
function aLongFile(name: string, bytes: number): string {
  const path = aFile(name, '');
  truncateSync(path, bytes);
  return path;
}

const refused = (message: string) => ({ code: 1, body: { error: 'invalid_value', message } });

describe('an input that is too large is not read to its end', () => {
  it.each([
    ['stack-trace read', 'The input is larger than 1 MB: give only the lines of one error.'],
    ['secret set --name voice', 'Standard input is larger than 1 MB.'],
  ])('by %s from standard input', async (command, message) => {
    const long = aLongInput();
    expect(await askOffline(command.split(' '), long.input)).toEqual(refused(message));
    // A stream in Node.js reads a few parts ahead.
    expect(long.parts).toBeLessThan(50);
  });

  it('by stack-trace read from a file', async () => {
    expect(await askOffline(['stack-trace', 'read', aLongFile('error.log', MB + 1)])).toEqual(
      refused('The input is larger than 1 MB: give only the lines of one error.'),
    );
  });

  it('by dnc add from a file', async () => {
    const path = aLongFile('numbers.csv', 100 * MB + 1);
    await expect(numbersOfFile(path, 'IN')).rejects.toMatchObject({
      error: 'invalid_value',
      message: `--file ${path} is larger than 100 MB.`,
    });
  });
});
