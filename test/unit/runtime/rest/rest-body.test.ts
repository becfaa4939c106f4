import { readJson } from '../../../../shared/runtime/rest/rest-body.ts';

const read = (body: string | Buffer, headers: Record<string, string> = {}) =>
  readJson({
    id: 'r',
    route: '',
    rawPath: '/',
    from: {},
    headers,
    path: {},
    query: {},
    cookies: [],
    claims: {},
    body: Buffer.from(body),
  });
const errorOf = (...args: Parameters<typeof read>) => {
  const result = read(...args);
  return result.ok ? undefined : result.error;
};

describe('a JSON body', () => {
  it.each([undefined, 'application/json', 'APPLICATION/JSON; charset=utf-8', 'application/vnd.api+json'])(
    'is read with the content type %s',
    (type) => {
      expect(read('{"a":"ü"}', type ? { 'content-type': type } : {})).toEqual({ ok: true, value: { a: 'ü' } });
    },
  );

  it('may begin with a byte order mark', () => {
    expect(read('\uFEFF{"a":1}')).toEqual({ ok: true, value: { a: 1 } });
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', '', 'application/jsonp'])(
    'is unsupported with the content type %j',
    (type) => {
      expect(errorOf('{}', { 'content-type': type })).toBe('unsupported_media_type');
    },
  );

  it('is at most 64 KB, counted in bytes', () => {
    expect(errorOf(`"${'x'.repeat(64 * 1024 - 2)}"`)).toBeUndefined();
    expect(errorOf(`"${'x'.repeat(64 * 1024 - 1)}"`)).toBe('payload_too_large');
    expect(errorOf(`"${'ü'.repeat(32 * 1024)}"`)).toBe('payload_too_large');
  });

  it.each(['', '{', "{'a':1}", 'phone_number=1', '{"a":1}x'])('is invalid: %j', (body) => {
    expect(errorOf(body)).toBe('invalid_request');
  });

  it('is refused if it is not UTF-8, because other idempotency keys could become equal', () => {
    const withKey = (byte: number) =>
      read(Buffer.from([...Buffer.from('{"idempotency_key":"caf'), byte, ...Buffer.from('"}')]));
    expect(withKey(0xe9)).toEqual({ ok: false, error: 'invalid_request', message: 'The body is not text in UTF-8.' });
    expect(withKey(0x41)).toEqual({ ok: true, value: { idempotency_key: 'cafA' } });
  });

  it('may have unknown members that are nested thousands deep', () => {
    expect(errorOf(`{"unknown":${'['.repeat(30_000)}${']'.repeat(30_000)}}`)).toBeUndefined();
  });

  it('has numbers of any length', () => {
    const text = '{"metadata":{"id":9007199254740993,"share":0.12345678901234567890}}';
    const body = read(text);
    expect(body.ok && JSON.stringify(body.value)).toBe(text);
  });
});
