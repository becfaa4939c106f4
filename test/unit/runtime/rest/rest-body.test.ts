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
});
