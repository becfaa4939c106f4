import fc from 'fast-check';
import { readJsonAsWritten, withNumbersAsText, writtenNumber } from '../../../../shared/domain/text/exact-json.ts';
import { forAll } from '../../../support/values/for-all.ts';

const again = (text: string) => JSON.stringify(readJsonAsWritten(text));

describe('JSON that is read as it was written', () => {
  it.each([
    '9007199254740993',
    '-9007199254740993',
    '12345678901234567890',
    '0.12345678901234567890123',
    '1e400',
    '-1e-400',
    '[1,{"id":9007199254740993}]',
  ])('keeps the number of %s', (text) => {
    expect(again(text)).toBe(text);
  });

  it.each(['0', '-0', '0.0', '0e5', '1.0', '1.50', '1e3', '1E+3', '1000000000000000000000', '9007199254740992', '0.1'])(
    'has an ordinary number for %s',
    (text) => {
      expect(readJsonAsWritten(text)).toBe(Number(text));
      expect(writtenNumber(readJsonAsWritten(text))).toBeUndefined();
    },
  );

  it('contains every other value as JSON.parse reads it', () => {
    forAll([fc.json()], (text) => {
      expect(readJsonAsWritten(text)).toEqual(JSON.parse(text));
      return true;
    });
  });

  it('keeps every integer', () => {
    forAll([fc.bigInt()], (integer) => again(String(integer)) === String(integer));
  });

  it('is read in linear time, however its digits are chosen', () => {
    const began = performance.now();
    readJsonAsWritten(`1${'0'.repeat(60_000)}1`);
    readJsonAsWritten(`0.${'0'.repeat(60_000)}1`);
    expect(performance.now() - began).toBeLessThan(500);
  });

  it('may be nested as deep as JSON.parse and JSON.stringify allow', () => {
    const text = `${'['.repeat(4_000)}${']'.repeat(4_000)}`;
    expect(again(text)).toBe(text);
    expect(JSON.stringify(withNumbersAsText(JSON.parse(text)))).toBe(text);
  });

  it('is refused if it is not JSON', () => {
    for (const text of ['', '{', '01', '1.', 'NaN']) expect(() => readJsonAsWritten(text)).toThrow(SyntaxError);
  });

  it('has digits for templates and for readers that would round them', () => {
    const json = readJsonAsWritten('{"id":9007199254740993,"n":7,"t":"x","in":[9007199254740993]}') as { id: unknown };
    expect(writtenNumber(json.id)).toBe('9007199254740993');
    expect([7, '7', null, {}, { rawJSON: '7' }].map(writtenNumber)).toEqual(Array(5).fill(undefined));
    expect(withNumbersAsText(json)).toEqual({ id: '9007199254740993', n: 7, t: 'x', in: ['9007199254740993'] });
  });
});
