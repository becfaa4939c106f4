import fc from 'fast-check';
import { readExactJson } from '../../../shared/domain/text/exact-json.ts';
import { readDeliveryBody } from '../../../shared/integrations/crm-a/delivery-body.ts';
import { readLeadPayloads } from '../../../shared/integrations/crm-a/lead-payload.ts';
import { isTooLarge } from '../../../shared/integrations/delivery-size.ts';
import { anyCharacter } from '../../support/values/any-text.ts';
import { forAll } from '../../support/values/for-all.ts';

const FORM = 'application/x-www-form-urlencoded';
const LIMIT = 256 * 1024;

/** Reads a body as `webhookRoute` passes it on. */
const read = (text: string, contentType?: string) => readDeliveryBody(text, readExactJson(text), contentType);
const leadIn = (text: string, contentType?: string) => readLeadPayloads(read(text, contentType))?.[0]?.lead;
const encoded = (members: Record<string, string>) => new URLSearchParams(members).toString();

describe('a JSON body', () => {
  it.each([undefined, '', 'application/json', 'text/plain', FORM, `${FORM}; charset=utf-8`, 'nonsense'])(
    'is read with any content type: %j',
    (contentType) => {
      expect(read('{"ProspectID":"lead-1","After":null}', contentType)).toEqual({ ProspectID: 'lead-1', After: null });
      expect(read('[{"a":1}]', contentType)).toEqual([{ a: 1 }]);
    },
  );

  it('keeps every digit of ids that are numbers', () => {
    const lead = (id: string) => leadIn(`{"ProspectID":${id},"OwnerId":554000000000000101,"Phone":"+919876543210"}`);
    expect(lead('2234567890123456781')).toMatchObject({
      lead_id: '2234567890123456781',
      owner_id: '554000000000000101',
    });
    expect(lead('2234567890123456782')).toMatchObject({ lead_id: '2234567890123456782' });
    const After = '{"ProspectID":2234567890123456781}';
    expect(leadIn(encoded({ After }), FORM)).toMatchObject({ lead_id: '2234567890123456781' });
  });

  it('that is null is different from a missing body', () => {
    expect(read('null')).toBeNull();
    expect(readLeadPayloads(read('null'))).toBeUndefined();
  });
});

describe('a form body', () => {
  it.each([FORM, `${FORM};charset=UTF-8`, ` ${FORM.toUpperCase()} `, `${FORM} ; q=1`])(
    'is read with a form content type: %j',
    (contentType) => {
      const members = { ProspectID: 'lead-1', Phone: '+91-98765 43210', Name: 'ü', Empty: '' };
      expect(read('ProspectID=lead-1&Phone=%2B91-98765+43210&Name=%C3%BC&Empty=', contentType)).toEqual(members);
    },
  );

  it.each([undefined, '', 'application/json', 'text/plain', 'multipart/form-data', `x${FORM}`, `${FORM}x`])(
    'is not read with another content type: %j',
    (contentType) => {
      expect(read('ProspectID=lead-1', contentType)).toBeUndefined();
    },
  );

  it('contains the lead before and after the change as JSON', () => {
    const After = JSON.stringify({ ProspectID: 'lead-1', Phone: '+91-9876543210', OwnerId: 'owner-1' });
    const text = encoded({ Before: '{"ProspectID":"former"}', After, ProspectID: 'former' });
    expect(leadIn(text, FORM)).toMatchObject({ lead_id: 'lead-1', owner_id: 'owner-1', phones: ['+91-9876543210'] });
    expect(leadIn(encoded({ After: ` \n${After}` }), FORM)).toMatchObject({ lead_id: 'lead-1' });
  });

  it('leaves a value as text if it only resembles JSON', () => {
    const members = { Notes: '{mxnewline}Hello', After: '{"ProspectID":', List: '["x"]', Number: '7' };
    expect(read(encoded(members), FORM)).toEqual(members);
    expect(leadIn(encoded(members), FORM)).toEqual({ phones: [], do_not_call: false, fields: {} });
  });

  it('gives the same lead as a JSON body', () => {
    const texts = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((text) => !/^\s*\{/.test(text));
    const dictionaries = fc.dictionary(fc.constantFrom('ProspectID', 'Phone', 'OwnerId', 'Notes'), texts, {
      minKeys: 1,
    });
    forAll([dictionaries], (members) => {
      expect(readLeadPayloads(read(encoded(members), FORM))).toEqual(
        readLeadPayloads(read(JSON.stringify(members), 'application/json')),
      );
    });
  });

  it('is harmless with the names of built-in object members', () => {
    const body = read('__proto__=%7B%22ProspectID%22%3A%22evil%22%7D&constructor=c&ProspectID=lead-1', FORM) as object;
    expect(Object.getPrototypeOf(body)).toBe(Object.prototype);
    expect(readLeadPayloads(body)?.[0]?.lead.lead_id).toBe('lead-1');
    const alone = read('__proto__=%7B%22ProspectID%22%3A%22evil%22%7D', FORM);
    expect(readLeadPayloads(alone)?.[0]?.lead).not.toHaveProperty('lead_id');
  });
});

describe('an invalid body', () => {
  it.each(['', ' ', '\n', '{', '{"a":', 'undefined', '<xml/>'])('is neither JSON nor a form: %j', (text) => {
    expect(read(text)).toBeUndefined();
    expect(read(text, 'application/json')).toBeUndefined();
  });

  it.each(['', ' ', '\r\n'])('is not an empty form: %j', (text) => {
    expect(read(text, FORM)).toBeUndefined();
  });

  it.each(['{"ProspectID":"lead-1","Phone":"+919876543210","First', '[{"ProspectID":"lead-1"', ' \n{', '['])(
    'is truncated JSON and never read as a form, which would log its values as names: %j',
    (text) => {
      expect(read(text, FORM)).toBeUndefined();
    },
  );

  it('reveals no values if the whole JSON was percent-encoded', () => {
    const text = encodeURIComponent('{"ProspectID":"lead-1","Phone":"+919876543210"}');
    const payloads = readLeadPayloads(read(text, FORM));
    expect(JSON.stringify(payloads ?? [])).not.toMatch(/9876543210|lead-1/);
    expect(payloads?.[0]?.keys).toEqual(['(no name)']);
  });

  it('reveals the member names of an envelope in a form', () => {
    const body = read(encoded({ After: '{"ProspectID":"lead-1","Phone":"+919876543210"}', Other: 'x' }), FORM);
    expect(readLeadPayloads(body)?.[0]?.keys).toEqual(['After', 'Other', 'After.ProspectID', 'After.Phone']);
  });
});

it.each([
  ['', false],
  ['x'.repeat(LIMIT), false],
  ['x'.repeat(LIMIT + 1), true],
  ['€'.repeat(LIMIT / 3), false],
  ['€'.repeat(LIMIT / 3 + 1), true],
  [' '.repeat(LIMIT + 1), true],
])('a body has at most 256 KB, counted in bytes: %#', (text, expected) => {
  expect(isTooLarge(text)).toBe(expected);
});

it('any text with any content type is read without an error', () => {
  const contentTypes = fc.option(fc.oneof(fc.constantFrom(FORM, 'application/json'), fc.string()), { nil: undefined });
  const texts = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.json(),
    fc.webQueryParameters(),
    fc.stringMatching(/^[a%=&+{}"0-9]{0,30}$/),
  );
  forAll([texts, contentTypes], { numRuns: 2000 }, (text, contentType) => {
    expect(() => readLeadPayloads(read(text, contentType))).not.toThrow();
  });
});
