import fc from 'fast-check';
import { inWords, renderTemplate } from '../../../../shared/domain/after-call/ticket-template.ts';
import { forAll } from '../../../support/for-all.ts';
import { anyText } from '../../../support/texts.ts';

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
    expect(inWords(value)).toBe(words);
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

  it('renders unknown keys as empty text, and does not change other text', () => {
    forAll([fc.array(fc.tuple(hostileText, anyKey))], (parts) => {
      const plain = parts.map(([text]) => text.replace(/[{}]/g, ''));
      const template = parts.map(([, key], index) => `${plain[index]}{${key}}`).join('');
      expect(renderTemplate(template, [{}])).toBe(plain.join(''));
    });
  });
});
