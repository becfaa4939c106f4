import { Writable } from 'node:stream';
import { facts, paragraphs, printable, table, write } from '../../../bin/admin/output.ts';

describe('a table', () => {
  it('aligns its columns and shows empty cells and booleans in words', () => {
    const rows = [
      ['Acme', true],
      [null, false],
    ];
    expect(table(['name', 'live'], rows, 'None.')).toBe('name  live\nAcme  yes\n-     no');
  });

  it('is replaced by a sentence where there are no rows', () => {
    expect(table(['name'], [], 'None.')).toBe('None.');
  });
});

describe('facts', () => {
  it('joins lists, and shows objects as JSON', () => {
    expect(facts({ name: 'Acme', numbers: ['1', '2'], limits: { a: 1 } })).toBe(
      'name     Acme\nnumbers  1, 2\nlimits   {"a":1}',
    );
  });

  it('cannot control the terminal', () => {
    expect(facts({ name: '\u001b[31mred\u0007' })).toBe('name   [31mred');
    expect(printable('one\ntwo\u0000')).toBe('one\ntwo ');
  });
});

describe('paragraphs', () => {
  it('are separated by a blank line; missing ones are left out', () => {
    expect(paragraphs('a', undefined, 'b')).toBe('a\n\nb');
  });
});

describe('write', () => {
  const failing = (code: string) =>
    new Writable({ write: (_, __, done) => done(Object.assign(new Error(code), { code })) });

  it('ignores a reader that has closed the pipe', async () => {
    await expect(write(failing('EPIPE'), 'text')).resolves.toBeUndefined();
  });

  it('reports every other failure', async () => {
    await expect(write(failing('ENOSPC'), 'text')).rejects.toThrow('ENOSPC');
  });
});
