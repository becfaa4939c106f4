import fc from 'fast-check';
import { readableText, renderTemplate } from '../../../../../shared/domain/after-call/tickets/ticket-content.ts';
import { readJsonAsWritten } from '../../../../../shared/domain/text/exact-json.ts';
import { anyText } from '../../../../support/values/any-text.ts';
import { forAll } from '../../../../support/values/for-all.ts';

const hostileText = fc.oneof(
  anyText(),
  fc.constantFrom('{a}', '{{a}}', '{transcript}', '$&', '$1', '{', '<', '<b>', '</b'),
);
const anyKey = fc.string({ minLength: 1 }).filter((key) => !/[{}]/.test(key) && key.trim() !== '');

describe('a template of a ticket', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['{a} and {b}', { a: 'one', b: 2 }, 'one and 2'],
    ['{ a }{a}', { a: 'x' }, 'xx'],
    ['no key', {}, 'no key'],
    ['{unknown}|{}|{ }', {}, '||'],
    ['{constructor}{__proto__}{toString}{hasOwnProperty}', { a: 1 }, ''],
    ['{{a}}', { a: 'x' }, '{x}'],
    ['{a', { a: 'x' }, '{a'],
    ['a}', { a: 'x' }, 'a}'],
    ['{a b.c}', { 'a b.c': 'x' }, 'x'],
    ['<b>{a}</b>', { a: '<a href="//x">now</a> 5 < 6 & 7 > 6' }, '<b>‹a href="//x"›now‹/a› 5 ‹ 6 & 7 › 6</b>'],
    ['{a}', { a: { '<b>': ['<img>'] } }, '{"‹b›":["‹img›"]}'],
    ['{yes} {no} {zero}', { yes: true, no: false, zero: 0 }, 'true false 0'],
  ])('%s with %j is %j', (template, values, rendered) => {
    expect(renderTemplate(template, [values])).toBe(rendered);
  });

  it.each<[unknown, string]>([
    [null, ''],
    [undefined, ''],
    ['', ''],
    [['a', 'b', 3, null, true], 'a, b, 3, true'],
    [[], ''],
    [{ a: 1 }, '{"a":1}'],
    [[{ a: 1 }], '[{"a":1}]'],
  ])('renders %j as %j', (value, words) => {
    expect(readableText(value)).toBe(words);
  });

  it('shows every digit of a long number', () => {
    const values = readJsonAsWritten('{"id":9007199254740993,"ids":[12345678901234567890,1]}') as Record<
      string,
      unknown
    >;
    expect(renderTemplate('{id}: {ids}', [values])).toBe('9007199254740993: 12345678901234567890, 1');
  });

  it('uses the first source that has a value', () => {
    const sources = [
      { a: null, b: undefined, c: '' },
      { a: 1, b: 2, c: 3 },
      { a: 4, d: 5 },
    ];
    expect(renderTemplate('{a}{b}{c}{d}', sources)).toBe('125');
  });

  it('never renders a value as a template, whatever it contains', () => {
    forAll([hostileText, hostileText], (one, other) => {
      const plain = `${one}|${other}`.replaceAll('<', '‹').replaceAll('>', '›');
      expect(renderTemplate('{a}|{b}', [{ a: one, b: other, transcript: 'SECRET' }])).toBe(plain);
    });
  });

  it('never renders a template within lists and objects, nor in their names', () => {
    const nested = fc.oneof(
      fc.array(hostileText, { minLength: 1, maxLength: 3 }),
      fc.dictionary(hostileText, fc.array(hostileText), { minKeys: 1, maxKeys: 2 }),
    );
    forAll([nested], (value) => {
      const plain = readableText(value).replaceAll('<', '‹').replaceAll('>', '›');
      const chain = { a: value, b: '{c}', c: '{a}', transcript: 'SECRET' };
      expect(renderTemplate('{a}|{b}', [chain])).toBe(`${plain}|{c}`);
    });
  });

  it('renders huge values and many of them in linear time', () => {
    const started = performance.now();
    const huge = '{a}<'.repeat(50_000);
    expect(renderTemplate('{a}'.repeat(20), [{ a: huge }])).toHaveLength(20 * huge.length);
    for (const open of ['{', '{a', '{{', '{a}{'])
      expect(renderTemplate(open.repeat(100_000), [{ a: '' }])).not.toContain('{a}');
    // A second pass over the values would take minutes. The limit is generous, because the machine may be busy.
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  it('renders unknown keys as empty text, and does not change other text', () => {
    forAll([fc.array(fc.tuple(hostileText, anyKey))], (parts) => {
      const plain = parts.map(([text]) => text.replace(/[{}]/g, ''));
      const template = parts.map(([, key], index) => `${plain[index]}{${key}}`).join('');
      expect(renderTemplate(template, [{}])).toBe(plain.join(''));
    });
  });
});
