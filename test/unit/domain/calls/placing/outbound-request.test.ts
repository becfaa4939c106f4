import fc from 'fast-check';
import { readOutboundRequest } from '../../../../../shared/domain/calls/placing/outbound-request.ts';
import { readJsonAsWritten } from '../../../../../shared/domain/text/exact-json.ts';
import { outboundBody } from '../../../../../shared/messages/rest/calls.ts';
import { forAll } from '../../../../support/values/for-all.ts';

const published = { allowLoopback: false };
const good = { phone_number: '+919812345678', assistant_id: 'asst_1' };
const read = (body: unknown, rules = published) => readOutboundRequest(body, rules);
const errorOf = (body: unknown) => {
  const result = read(body);
  return result.ok ? undefined : result.error;
};
/** @returns a metadata object with exactly this many bytes as JSON */
const metadataOf = (bytes: number, letter = 'x') => ({
  a: letter.repeat((bytes - '{"a":""}'.length) / Buffer.byteLength(letter)),
});

const LISTS = '['.repeat(64) + ']'.repeat(64);

describe('the body of POST /v1/calls/outbound', () => {
  it('is valid with only a phone number and an assistant', () => {
    expect(read(good)).toEqual({
      ok: true,
      request: { ...good, metadata: {}, idempotency_key: undefined, callback_url: undefined },
    });
  });

  it('is read completely, and unknown fields are ignored', () => {
    const body = {
      ...good,
      metadata: { First_Name: 'Asha', nested: { a: [1, null, true] } },
      idempotency_key: 'order-7',
      callback_url: 'https://client.example/hook?x=1',
    };
    expect(read({ ...body, unknown: 1, status: 'completed' })).toEqual({ ok: true, request: body });
  });

  it('is valid if and only if docs/openapi.yaml says so, except for sizes and addresses', () => {
    const mostly = <T>(value: T) => fc.option(fc.constant(value), { nil: undefined, freq: 3 });
    const anything = fc.oneof(fc.constantFrom(null, '', 'x', 7, true, [], {}, 'x'.repeat(255), 'x'.repeat(256)));
    const bodies = fc.record(
      {
        phone_number: fc.oneof(mostly('+919812345678'), mostly('98123'), anything),
        assistant_id: fc.oneof(mostly('asst_1'), anything),
        metadata: fc.oneof(mostly({ order: 7 }), anything),
        idempotency_key: anything,
        unknown: anything,
      },
      { requiredKeys: [] },
    );
    forAll([bodies], (body) => read(body).ok === outboundBody.safeParse(body).success);
  });

  it('may contain null for an absent field', () => {
    expect(read({ ...good, metadata: null, idempotency_key: null, callback_url: null })).toEqual(read(good));
    expect(errorOf({ ...good, phone_number: null })).toBe('invalid_phone_number');
    expect(errorOf({ ...good, assistant_id: null })).toBe('assistant_id_required');
  });

  it.each([undefined, null, 1, 'text', true, [], [good]])('must be an object: %j', (body) => {
    expect(errorOf(body)).toBe('invalid_request');
  });

  it('is checked in this order: phone number, assistant, optional fields', () => {
    const wrong = { phone_number: 7, assistant_id: '', metadata: 'x', idempotency_key: '', callback_url: 'ftp://x' };
    expect(errorOf(wrong)).toBe('invalid_phone_number');
    expect(errorOf({ ...wrong, phone_number: good.phone_number })).toBe('assistant_id_required');
    expect(errorOf({ ...wrong, ...good })).toBe('invalid_request');
    expect(errorOf({ ...wrong, ...good, metadata: {} })).toBe('invalid_request');
    expect(errorOf({ ...wrong, ...good, metadata: {}, idempotency_key: 'k' })).toBe('invalid_callback_url');
  });

  it.each([undefined, 919812345678, '', '919812345678', '+0123456789', '+91 98123 45678', ['+919812345678'], {}])(
    'is refused with the phone number %j',
    (phone_number) => {
      expect(errorOf({ ...good, phone_number })).toBe('invalid_phone_number');
    },
  );

  it.each([undefined, '', 7, {}, ['asst_1']])('is refused with the assistant %j', (assistant_id) => {
    expect(errorOf({ ...good, assistant_id })).toBe('assistant_id_required');
  });

  it.each(['x', 7, true, [], [{}]])('is refused with the metadata %j', (metadata) => {
    expect(errorOf({ ...good, metadata })).toBe('invalid_request');
  });

  it('may have metadata of 64 levels', () => {
    const nested = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);
    expect(errorOf({ ...good, metadata: nested(64) })).toBeUndefined();
    expect(errorOf({ ...good, metadata: nested(65) })).toBe('invalid_request');
    const lists = JSON.parse(`{"a":${'['.repeat(7_000)}${']'.repeat(7_000)}}`);
    expect(errorOf({ ...good, metadata: lists })).toBe('invalid_request');
  });

  it('may have integers beyond 2^53 in its metadata, which stay as they are', () => {
    const text = '{"order":9007199254740993,"of":[12345678901234567890]}';
    const result = read({ ...good, metadata: readJsonAsWritten(text) });
    expect(result.ok && JSON.stringify(result.request.metadata)).toBe(text);
  });

  it('is refused if itself or its metadata is a long integer', () => {
    const integer = readJsonAsWritten('9007199254740993');
    expect(errorOf(integer)).toBe('invalid_request');
    expect(errorOf({ ...good, metadata: integer })).toBe('invalid_request');
    expect(errorOf({ ...good, phone_number: integer })).toBe('invalid_phone_number');
    expect(errorOf({ ...good, assistant_id: integer })).toBe('assistant_id_required');
    expect(errorOf({ ...good, idempotency_key: integer })).toBe('invalid_request');
    expect(errorOf({ ...good, callback_url: integer })).toBe('invalid_callback_url');
  });

  it('may have up to 16 KB of metadata, counted in bytes', () => {
    const most = 16 * 1024;
    expect(errorOf({ ...good, metadata: metadataOf(most) })).toBeUndefined();
    expect(errorOf({ ...good, metadata: metadataOf(most + 1) })).toBe('invalid_request');
    expect(errorOf({ ...good, metadata: metadataOf(most, 'अ') })).toBeUndefined();
    expect(errorOf({ ...good, metadata: { a: 'अ'.repeat(most / 3) } })).toBe('invalid_request');
  });

  it('may have an idempotency key of 1 to 255 characters', () => {
    const withKey = (idempotency_key: unknown) => errorOf({ ...good, idempotency_key });
    expect(withKey('k')).toBeUndefined();
    expect(withKey('k'.repeat(255))).toBeUndefined();
    for (const wrong of ['', 'k'.repeat(256), 7, {}, [], ['k'], false, '\ud800k', 'caf\ufffd'])
      expect(withKey(wrong)).toBe('invalid_request');
  });

  it('may have a callback address that the stage allows', () => {
    const at = (callback_url: unknown, allowLoopback = false) =>
      read({ ...good, callback_url }, { allowLoopback }) as { ok: boolean; error?: string };
    expect(at('https://client.example/hook').ok).toBe(true);
    const unreadable = 'https://client.example/\ud800';
    for (const wrong of ['', 'client.example', 'http://client.example/', 'https://10.0.0.1/', unreadable, 7, {}, []])
      expect(at(wrong)).toMatchObject({ ok: false, error: 'invalid_callback_url' });
    expect(at('http://127.0.0.1:9000/hook').ok).toBe(false);
    expect(at('http://127.0.0.1:9000/hook', true).ok).toBe(true);
  });

  it('contributes only its own members, not those of a prototype', () => {
    expect(errorOf(JSON.parse(`{"__proto__": ${JSON.stringify(good)}}`))).toBe('invalid_phone_number');
    const inConstructor = JSON.parse('{"constructor": {"prototype": {"phone_number": "+919812345678"}}}');
    expect(errorOf(inConstructor)).toBe('invalid_phone_number');
    expect(errorOf({ ...good, metadata: JSON.parse('{"__proto__": {"x": 1}}') })).toBeUndefined();
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  it.each([
    ['The body must be a JSON object.', []],
    ['phone_number must be in E.164 form, such as +919812345678.', { ...good, phone_number: '98123' }],
    ['assistant_id is required.', { ...good, assistant_id: '' }],
    ['metadata must be an object.', { ...good, metadata: 7 }],
    ['metadata must not exceed 16 KB.', { ...good, metadata: metadataOf(16_385) }],
    ['metadata must not be nested deeper than 64 levels.', { ...good, metadata: { a: JSON.parse(LISTS) } }],
    ['idempotency_key must be a string of 1 to 255 characters without U+FFFD.', { ...good, idempotency_key: '' }],
    ['callback_url must be a string.', { ...good, callback_url: 7 }],
    ['callback_url is not accepted: must be an https URL.', { ...good, callback_url: 'http://client.example/' }],
  ])('tells the client the reason: %s', (message, body) => {
    expect(read(body)).toMatchObject({ ok: false, message });
  });

  it('never causes an exception, and its values never appear in the error, for any JSON', () => {
    forAll([fc.jsonValue(), fc.jsonValue(), fc.jsonValue()], (phone_number, metadata, callback_url) => {
      const result = read({ ...good, phone_number, metadata, callback_url });
      if (result.ok) return;
      expect(result.message).not.toContain('undefined');
      if (typeof callback_url === 'string' && callback_url.length > 12)
        expect(result.message).not.toContain(callback_url);
    });
  });
});
