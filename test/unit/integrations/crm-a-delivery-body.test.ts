import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readDeliveryBody } from '../../../shared/integrations/crm-a/delivery-body.ts';
import { readLeadPayloads } from '../../../shared/integrations/crm-a/lead-payload.ts';
import { isTooLarge } from '../../../shared/integrations/delivery-size.ts';

const FORM = 'application/x-www-form-urlencoded';

/** As webhookRoute hands it on. */
const read = (text: string, contentType?: string) => {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {}
  return readDeliveryBody(text, json, contentType);
};
const leadIn = (text: string, contentType?: string) => readLeadPayloads(read(text, contentType))?.[0]?.lead;
const encoded = (members: Record<string, string>) => new URLSearchParams(members).toString();

describe('a body in JSON', () => {
  it.each([undefined, '', 'application/json', 'text/plain', FORM, `${FORM}; charset=utf-8`, 'nonsense'])(
    'is read whatever its content type says: %j',
    (contentType) => {
      expect(read('{"ProspectID":"lead-1","After":null}', contentType)).toEqual({ ProspectID: 'lead-1', After: null });
      expect(read('[{"a":1}]', contentType)).toEqual([{ a: 1 }]);
    },
  );

  it('that is null is not mistaken for none', () => {
    expect(read('null')).toBeNull();
    expect(readLeadPayloads(read('null'))).toBeUndefined();
  });
});

describe('a body as a form', () => {
  it.each([FORM, `${FORM};charset=UTF-8`, ` ${FORM.toUpperCase()} `, `${FORM} ; q=1`])(
    'is read where the content type says so: %j',
    (contentType) => {
      expect(read('ProspectID=lead-1&Phone=%2B91-98765+43210&Name=%C3%BC&Empty=', contentType)).toEqual({
        ProspectID: 'lead-1',
        Phone: '+91-98765 43210',
        Name: 'ü',
        Empty: '',
      });
    },
  );

  it.each([undefined, '', 'application/json', 'text/plain', 'multipart/form-data', `x${FORM}`, `${FORM}x`])(
    'is none where the content type says otherwise: %j',
    (contentType) => {
      expect(read('ProspectID=lead-1', contentType)).toBeUndefined();
    },
  );

  it('carries what was before and after as JSON', () => {
    const After = JSON.stringify({ ProspectID: 'lead-1', Phone: '+91-9876543210', OwnerId: 'owner-1' });
    const text = encoded({ Before: '{"ProspectID":"former"}', After, ProspectID: 'former' });
    expect(leadIn(text, FORM)).toMatchObject({ lead_id: 'lead-1', owner_id: 'owner-1', phones: ['+91-9876543210'] });
    expect(leadIn(encoded({ After: ` \n${After}` }), FORM)).toMatchObject({ lead_id: 'lead-1' });
  });

  it('keeps a member as text that only looks like JSON', () => {
    const text = encoded({ Notes: '{mxnewline}Hello', After: '{"ProspectID":', List: '["x"]', Number: '7' });
    expect(read(text, FORM)).toEqual({
      Notes: '{mxnewline}Hello',
      After: '{"ProspectID":',
      List: '["x"]',
      Number: '7',
    });
    expect(leadIn(text, FORM)).toEqual({ phones: [], do_not_call: false, fields: {} });
  });

  it('reads a lead as JSON would', () => {
    const texts = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((text) => !/^\s*\{/.test(text));
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('ProspectID', 'Phone', 'OwnerId', 'Notes'), texts), (members) => {
        fc.pre(Object.keys(members).length > 0);
        expect(readLeadPayloads(read(encoded(members), FORM))).toEqual(
          readLeadPayloads(read(JSON.stringify(members), 'application/json')),
        );
      }),
    );
  });

  it('is harmless under names that objects have by themselves', () => {
    const body = read('__proto__=%7B%22ProspectID%22%3A%22evil%22%7D&constructor=c&ProspectID=lead-1', FORM) as object;
    expect(Object.getPrototypeOf(body)).toBe(Object.prototype);
    expect(readLeadPayloads(body)?.[0]?.lead.lead_id).toBe('lead-1');
    const alone = read('__proto__=%7B%22ProspectID%22%3A%22evil%22%7D', FORM);
    expect(readLeadPayloads(alone)?.[0]?.lead).not.toHaveProperty('lead_id');
  });
});

describe('what is no body', () => {
  it.each(['', ' ', '\n', '{', '{"a":', 'undefined', '<xml/>'])('is neither: %j', (text) => {
    expect(read(text)).toBeUndefined();
    expect(read(text, 'application/json')).toBeUndefined();
  });

  it.each(['', ' ', '\r\n'])('is not an empty form either: %j', (text) => {
    expect(read(text, FORM)).toBeUndefined();
  });

  it.each(['{"ProspectID":"lead-1","Phone":"+919876543210","First', '[{"ProspectID":"lead-1"', ' \n{', '['])(
    'is JSON that was cut off, also where it is sent as a form: its values would be taken for a name: %j',
    (text) => {
      expect(read(text, FORM)).toBeUndefined();
    },
  );

  it('tells no values by the keys of JSON that was percent-encoded as a whole', () => {
    const text = encodeURIComponent('{"ProspectID":"lead-1","Phone":"+919876543210"}');
    const payloads = readLeadPayloads(read(text, FORM));
    expect(JSON.stringify(payloads ?? [])).not.toMatch(/9876543210|lead-1/);
    expect(payloads?.[0]?.keys).toEqual(['(no name)']);
  });

  it('tells the names of the members of an envelope that came in a form', () => {
    const body = read(encoded({ After: '{"ProspectID":"lead-1","Phone":"+919876543210"}', Other: 'x' }), FORM);
    expect(readLeadPayloads(body)?.[0]?.keys).toEqual(['After', 'Other', 'After.ProspectID', 'After.Phone']);
  });
});

describe('a body', () => {
  const LIMIT = 256 * 1024;

  it('is too large above 256 KB, in bytes and not in characters, whatever is in it', () => {
    expect(isTooLarge('')).toBe(false);
    expect(isTooLarge('x'.repeat(LIMIT))).toBe(false);
    expect(isTooLarge('x'.repeat(LIMIT + 1))).toBe(true);
    expect(isTooLarge('€'.repeat(LIMIT / 3))).toBe(false);
    expect(isTooLarge('€'.repeat(LIMIT / 3 + 1))).toBe(true);
    expect(isTooLarge(' '.repeat(LIMIT + 1))).toBe(true);
  });
});

describe('any text with any content type', () => {
  it('is read without an error', () => {
    const contentTypes = fc.option(fc.oneof(fc.constantFrom(FORM, 'application/json'), fc.string()), {
      nil: undefined,
    });
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc.webQueryParameters(),
      fc.stringMatching(/^[a%=&+{}"0-9]{0,30}$/),
    );
    fc.assert(
      fc.property(texts, contentTypes, (text, contentType) => {
        expect(() => readLeadPayloads(read(text, contentType))).not.toThrow();
      }),
      { numRuns: 2000 },
    );
  });
});
