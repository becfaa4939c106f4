import fc from 'fast-check';
import { readMultipart } from '../../../../shared/runtime/rest/rest-multipart.ts';

const FORM = 'multipart/form-data; boundary=b';
const end = Buffer.from('--b--\r\n');
const part = (content: string | Uint8Array, { field = 'files', name = '; filename="a.txt"', more = '' } = {}) =>
  Buffer.concat([
    Buffer.from(`--b\r\nContent-Disposition: form-data; name="${field}"${name}\r\n${more}\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
const read = (body: Buffer | string, type: string | undefined = FORM) =>
  readMultipart({
    id: 'r',
    route: '',
    rawPath: '/',
    from: {},
    headers: { 'content-type': type },
    path: {},
    query: {},
    cookies: [],
    claims: {},
    body: Buffer.from(body),
  });
const errorOf = async (...args: Parameters<typeof read>) => {
  const result = await read(...args);
  return result.ok ? undefined : result.error;
};
const whole = (...parts: Buffer[]) => Buffer.concat([...parts, end]);
const megabytes = (count: number) => Buffer.alloc(count * 1024 * 1024, 'a');

describe('a multipart body', () => {
  it('returns its files byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ minLength: 1, maxLength: 300 }), { minLength: 1, maxLength: 5 }),
        async (all) => {
          const result = await read(whole(...all.map((bytes) => part(bytes))));
          expect(result.ok && result.files.map(({ bytes }) => [...bytes])).toEqual(all.map((bytes) => [...bytes]));
        },
      ),
    );
  });

  it.each(['multipart/form-data; boundary="b"', 'Multipart/Form-Data;charset=utf-8;boundary=b'])(
    'is read with the content type %s',
    async (type) => {
      expect(await read(whole(part('x')), type)).toMatchObject({ ok: true, files: [{ filename: 'a.txt' }] });
    },
  );

  it('has file names in UTF-8, without paths', async () => {
    const body = whole(part('x', { name: '; filename="../मूल्य.txt"' }));
    expect(await read(body)).toMatchObject({ files: [{ filename: 'मूल्य.txt' }] });
  });

  it.each([
    ['a%22b%22.txt', 'a"b".txt'],
    ['a%0D%0Ab.txt', 'a\r\nb.txt'],
    ['a%0d%20%2F%2522.txt', 'a%0d%20%2F%2522.txt'],
    ['100%.txt', '100%.txt'],
  ])('has the file name %s as browsers write %j', async (written, filename) => {
    const body = whole(part('x', { name: `; filename="${written}"` }));
    expect(await read(body)).toMatchObject({ files: [{ filename }] });
  });

  it.each(['application/json', 'multipart/mixed; boundary=b', 'text/plain; multipart/form-data', ''])(
    'has no files with the content type %j',
    async (type) => {
      expect(await errorOf(whole(part('x')), type)).toBe('no_files_uploaded');
    },
  );

  it.each([
    ['none', 'multipart/form-data'],
    ['an empty one', 'multipart/form-data; boundary='],
    ['an empty one in quotes', 'multipart/form-data; boundary=""'],
    ['71 characters', `multipart/form-data; boundary=${'b'.repeat(71)}`],
    ['71 characters in quotes', `multipart/form-data; boundary="${'b'.repeat(71)}"`],
  ])('is invalid with a boundary that is %s', async (_name, type) => {
    expect(await errorOf(whole(part('x')), type)).toBe('invalid_request');
  });

  it('has its files in the field `files`, and other fields are ignored', async () => {
    const field = part('y', { field: 'note', name: '' });
    expect(await read(whole(field, part('x')))).toMatchObject({ ok: true, files: [{ filename: 'a.txt' }] });
    expect(await errorOf(whole(part('x'), part('y', { field: 'file' })))).toBe('invalid_request');
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['no part', end],
    ['only other fields', whole(part('y', { field: 'note', name: '' }))],
    ['files as a field', whole(part('y', { name: '' }))],
    ['a field in which no file was chosen', whole(part('', { name: '; filename=""' }))],
  ])('with %s has no files', async (_name, body) => {
    expect(await read(body)).toEqual({ ok: false, error: 'no_files_uploaded', message: 'No files uploaded' });
  });

  it('may contain an empty file', async () => {
    expect(await read(whole(part('')))).toMatchObject({ ok: true, files: [{ filename: 'a.txt' }] });
  });

  const files = (...contents: (string | Uint8Array)[]) => contents.map((content) => part(content));
  const fields = (count: number) => Array.from({ length: count }, () => part('y', { field: 'note', name: '' }));
  const aByteMoreThan4Mb = Buffer.concat([megabytes(4), Buffer.from('a')]);
  it.each([
    ['4 MB', files(megabytes(4)), undefined],
    ['twice 2 MB', files(megabytes(2), megabytes(2)), undefined],
    ['4 MB and a byte', files(aByteMoreThan4Mb), 'payload_too_large'],
    ['twice 2 MB and a byte', files(megabytes(2), megabytes(2), 'a'), 'payload_too_large'],
    ['5 MB', files(megabytes(5)), 'payload_too_large'],
    ['20 files and 20 other fields', [...files(...'x'.repeat(20)), ...fields(20)], undefined],
    ['21 files', files(...'x'.repeat(21)), 'invalid_request'],
    ['21 other fields', [...fields(21), ...files('x')], 'invalid_request'],
    ['50,000 other fields', fields(50_000), 'invalid_request'],
  ])('is limited to 4 MB of files, 20 files and 20 other fields: %s', async (_name, parts, error) => {
    expect(await errorOf(whole(...parts))).toBe(error);
  });

  it.each([
    ['a part without an end', part('x')],
    ['a part that ends within its head', Buffer.from('--b\r\nContent-Disposition: form-data; name="fi')],
    ['another boundary', Buffer.from('--c\r\n\r\nx\r\n--c--\r\n')],
    ['a head of 20 KB', whole(part('x', { more: `X: ${'y'.repeat(20_000)}\r\n` }))],
    ['no multipart at all', Buffer.from('hello')],
  ])('with %s is invalid', async (_name, body) => {
    expect(await errorOf(body)).toBe('invalid_request');
  });

  it('yields files or a refusal, for any contents', async () => {
    const head = 'Content-Disposition: form-data; name="files"; filename="a"';
    const piece = fc.constantFrom('--b', '--b--', '\r\n', head, ':', 'x', '\0');
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 40 }), async (pieces) => {
        const result = await read(pieces.join(''));
        expect(result.ok ? result.files.length : result.message.length).toBeGreaterThan(0);
      }),
      { numRuns: 500 },
    );
  });
});
