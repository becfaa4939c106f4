import fc from 'fast-check';
import { answerJsonSchema, parseAnswer } from '../../../../../shared/domain/after-call/analysis/analysis-answer.ts';
import { type Extraction, extractionBy } from '../../../../../shared/domain/after-call/analysis/extraction.ts';
import { analysisResultSchema } from '../../../../../shared/domain/calls/analysis.ts';
import { forAll } from '../../../../support/values/for-all.ts';
import { aResult } from '../../../support/call.ts';

const { structured_data: _unrequested, ...answer } = aResult({ lead_intent: 'purchase', issue_summary: 'A visit.' });

function extraction(schema: Record<string, unknown>): Extraction {
  const made = extractionBy(schema);
  if ('problem' in made) throw new Error(made.problem);
  return made;
}
const ofProperties = (properties: Record<string, unknown>, more: Record<string, unknown> = {}) =>
  extraction({ type: 'object', properties, ...more });

const problemsOf = (input: unknown, by?: Extraction): string[] => {
  const read = parseAnswer(input, by);
  return 'problems' in read ? read.problems.map(({ where }) => where) : [];
};
const dataOf = (structured_data: unknown, by: Extraction): unknown => {
  const read = parseAnswer({ ...answer, structured_data }, by);
  return 'result' in read ? read.result.structured_data : read;
};

describe('an answer of the model', () => {
  it('with every field becomes the result, without fields that were not requested', () => {
    for (const more of [{}, { structured_data: { a: 1 }, call_id: 'mine', cost: 0 }])
      expect(parseAnswer({ ...answer, ...more }, undefined)).toEqual({ result: { ...answer, structured_data: {} } });
  });

  it('is refused with the names of all missing or invalid fields', () => {
    expect(problemsOf({})).toEqual(Object.keys(answer));
    expect(problemsOf({ ...answer, sentiment: 'Positive', do_not_call: 'no' })).toEqual(['sentiment', 'do_not_call']);
    const tooLong = { summary: 'x'.repeat(2_001), issue_summary: 'x'.repeat(1_001) };
    expect(problemsOf({ ...answer, ...tooLong })).toEqual(Object.keys(tooLong));
    expect(problemsOf(answer, ofProperties({ a: {} }))).toEqual(['structured_data']);
    for (const none of [null, undefined, 'text', 7, []]) expect(problemsOf(none)).not.toEqual([]);
  });

  it('yields a valid do-not-call request even if the rest is invalid', () => {
    const by = ofProperties({ a: { type: 'string' } }, { required: ['a'] });
    const requestOf = (input: unknown) => {
      const read = parseAnswer(input, by);
      return 'problems' in read ? read.doNotCall : 'valid';
    };
    for (const do_not_call of [true, false]) {
      expect(requestOf({ ...answer, do_not_call, structured_data: {} })).toBe(do_not_call);
      expect(requestOf({ do_not_call })).toBe(do_not_call);
    }
    const elsewhere = { structured_data: { do_not_call: true } };
    for (const none of [{ ...answer, do_not_call: 'true' }, {}, elsewhere, null, [true]])
      expect(requestOf(none)).toBeUndefined();
  });

  it('without a concern yields null for it', () => {
    const read = parseAnswer({ ...answer, issue_summary: ' ' }, undefined);
    expect(read).toMatchObject({ result: { issue_summary: null } });
  });

  it('yields only text that every table and queue accepts', () => {
    const read = parseAnswer({ ...answer, summary: 'a\uFFFEb\uD83D', issue_summary: '\uFFFF' }, undefined);
    expect(read).toMatchObject({ result: { summary: 'ab\uFFFD', issue_summary: null } });
  });

  it('of any shape becomes either a result that can be stored or a list of problems', () => {
    const by = ofProperties({ city: { type: 'string' }, rooms: { type: 'array', items: { type: 'integer' } } });
    const fields = Object.entries(answer).map(([name, value]) => [name, fc.oneof(fc.constant(value), fc.anything())]);
    const data = fc.record({ city: fc.jsonValue(), rooms: fc.jsonValue(), more: fc.jsonValue() });
    const near = fc.record(
      { ...Object.fromEntries(fields), structured_data: fc.oneof(fc.object(), data) },
      { requiredKeys: [] },
    );
    forAll([fc.oneof(near, fc.jsonValue())], { numRuns: 300 }, (input) => {
      const json = JSON.parse(JSON.stringify(input) ?? 'null');
      const read = parseAnswer(json, by);
      if ('problems' in read) expect(read.problems.length).toBeGreaterThan(0);
      else {
        expect(analysisResultSchema.parse(read.result)).toEqual(read.result);
        expect(['city', 'rooms']).toEqual(expect.arrayContaining(Object.keys(read.result.structured_data)));
      }
    });
  });
});

describe('the structured data of an answer', () => {
  it('must have the types of the schema', () => {
    const by = ofProperties({
      city: { type: 'string', enum: ['Pune', 'Delhi'] },
      budget: { type: 'integer', minimum: 0 },
      visits: { type: 'array', items: { type: 'object', properties: { day: { type: 'string' } }, required: ['day'] } },
      note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    });
    const good = { city: 'Pune', budget: 5, visits: [{ day: 'Monday' }], note: 'x' };
    expect(dataOf(good, by)).toEqual(good);
    const wrong = { city: 'Goa', budget: -1, visits: [{}], note: 3 };
    const places = ['city', 'budget', 'visits/0', 'note'].map((name) => `structured_data/${name}`);
    expect(problemsOf({ ...answer, structured_data: wrong }, by)).toEqual(expect.arrayContaining(places));
  });

  it('lose properties that the schema does not name, at every level', () => {
    const by = ofProperties({ lead: { type: 'object', properties: { city: {} } }, free: { type: 'object' } });
    const said = { lead: { city: 'Pune', caller_mobile: '+910' }, free: { any: 1 }, lead_intent: 'complaint' };
    expect(dataOf(said, by)).toEqual({ lead: { city: 'Pune' }, free: { any: 1 } });
  });

  it('lose properties that the schema does not name within alternatives, too', () => {
    const alternatives = [{ type: 'object', properties: { city: {}, flat: { type: 'object', properties: {} } } }];
    const lists = { type: 'array', items: { type: 'object', properties: { day: {} } } };
    const by = ofProperties({
      lead: { anyOf: [...alternatives, { type: 'object', properties: { name: {} } }, { type: 'null' }] },
      visits: { oneOf: [lists, { type: 'string' }] },
      nested: { anyOf: [{ anyOf: alternatives }] },
      mixed: { type: 'object', properties: { a: {} }, anyOf: [{ required: ['a'] }] },
      free: { anyOf: [{ type: 'object' }, { type: 'null' }] },
    });
    const more = { caller_mobile: '+910' };
    const said = {
      lead: { city: 'Pune', name: 'Asha', flat: more, ...more },
      visits: [{ day: 'Monday', ...more }],
      nested: { city: 'Pune', ...more },
      mixed: { a: 1, ...more },
      free: more,
    };
    expect(dataOf(said, by)).toEqual({
      lead: { city: 'Pune', name: 'Asha', flat: {} },
      visits: [{ day: 'Monday' }],
      nested: { city: 'Pune' },
      mixed: { a: 1 },
      free: more,
    });
  });

  it('lose properties with the value null, unless they are required', () => {
    const by = ofProperties({ a: { type: 'string' }, b: { type: ['string', 'null'] } }, { required: ['b'] });
    expect(dataOf({ a: null, b: null }, by)).toEqual({ b: null });
    expect(problemsOf({ ...answer, structured_data: { a: 'x' } }, by)).toEqual(['structured_data']);
  });

  it('may omit a required property that the schema does not describe', () => {
    expect(dataOf({ a: 1, b: 2 }, ofProperties({ a: {} }, { required: ['a', 'b'] }))).toEqual({ a: 1 });
  });

  it('are not validated by pattern or format', () => {
    const by = ofProperties({ evil: { type: 'string', pattern: '^(a+)+$', format: 'email' } });
    const data = { evil: `${'a'.repeat(5_000)}!` };
    expect(dataOf(data, by)).toEqual(data);
  });

  it('are limited in size', () => {
    const structured_data = { a: 'x'.repeat(20_000) };
    expect(problemsOf({ ...answer, structured_data }, ofProperties({ a: {} }))).toEqual(['structured_data']);
  });

  it('cannot change a prototype', () => {
    const by = ofProperties(JSON.parse('{"a": {}, "__proto__": {"type": "object"}, "constructor": {}}'));
    const data = dataOf(JSON.parse('{"a": 1, "__proto__": {"isAdmin": true}}'), by) as Record<string, unknown>;
    expect(Object.getPrototypeOf(data)).toBe(Object.prototype);
    expect(data.isAdmin).toBeUndefined();
  });
});

describe("a customer's schema", () => {
  const self: Record<string, unknown> = { $ref: '#' };
  const arrays = Array.from({ length: 30 }, () => 'array');
  const deep = arrays.reduce<Record<string, unknown>>((items, type) => ({ type, items }), {});

  const noObject = 'not the schema of an object with properties';
  const types = 'string, number, integer, boolean, object, array, null';
  const noType = `properties.a.type: must be one of ${types}, or a list of them`;
  const growing = { $defs: { a: { anyOf: [self, self] } }, properties: { a: self } };

  it.each<[string, Record<string, unknown>, problem: string]>([
    ['that does not describe an object', { type: 'array', items: {} }, noObject],
    ['without a type', { type: undefined, properties: { a: {} } }, noObject],
    ['without properties', { properties: undefined }, noObject],
    ['with a reference to itself', { properties: { a: self } }, 'properties.a: $ref is not supported'],
    ['with references that grow', growing, 'properties.a: $ref is not supported; $defs is not supported'],
    ['with patterns of names', { patternProperties: { '(a+)+': {} } }, 'patternProperties is not supported'],
    ['with a condition', { if: {}, else: {} }, 'if, else is not supported'],
    ['with an unknown type', { properties: { a: { type: 'date' } } }, noType],
    ['with an invalid type', { properties: { a: { type: 7 } } }, noType],
    ['with invalid properties', { properties: [] }, 'properties: is not valid JSON Schema'],
    ['with an invalid property', { properties: { a: 'string' } }, 'properties.a: is not valid JSON Schema'],
    ['with an empty list', { properties: { a: { enum: [] } } }, 'properties.a.enum: must have at least one choice'],
    ['that is too deep', { properties: { a: deep } }, 'more than 8 levels deep'],
    ['that is too long', { properties: { a: { title: 'x'.repeat(17_000) } } }, 'longer than 16384 characters'],
  ])('is refused with a reason, never with an exception: %s', (_, schema, problem) => {
    expect(extractionBy({ type: 'object', properties: {}, ...schema })).toEqual({ problem });
  });

  it('of any shape is either used or refused', () => {
    const keyword = fc.constantFrom(...'type properties items enum required anyOf $ref pattern minimum x'.split(' '));
    const anything = fc.dictionary(keyword, fc.oneof(fc.jsonValue(), fc.dictionary(keyword, fc.jsonValue())));
    forAll([anything, fc.jsonValue()], { numRuns: 300 }, (schema, value) => {
      const made = extractionBy({ type: 'object', properties: {}, ...schema });
      if ('problem' in made) expect(made.problem).not.toBe('');
      else expect(Object.keys(made.read(value))).toHaveLength(1);
    });
  });

  it('is sent to the model without the keywords that models reject in a tool', () => {
    const by = ofProperties(
      {
        default: { type: 'string', default: 'x', pattern: '.', examples: ['y'] },
        list: { type: 'array', items: { $comment: 'c', type: 'string' } },
      },
      { $schema: 'https://json-schema.org/', $id: 'x', additionalProperties: false, description: 'What was agreed.' },
    );
    const { properties, ...root } = answerJsonSchema(by) as { properties: Record<string, unknown>; required: string[] };
    expect(Object.keys(root)).toEqual(['type', 'required']);
    expect(root.required).toEqual(Object.keys(properties));
    expect(properties.structured_data).toEqual({
      type: 'object',
      description: 'What was agreed.',
      properties: { default: { type: 'string' }, list: { type: 'array', items: { type: 'string' } } },
    });
  });
});
