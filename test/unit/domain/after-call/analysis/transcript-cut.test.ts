import fc from 'fast-check';
import { cutTranscript } from '../../../../../shared/domain/after-call/analysis/transcript-cut.ts';
import { forAll } from '../../../../support/values/for-all.ts';

const MARK = /\n\[… (\d+) lines with (\d+) characters of the transcript are left out here …\]\n/;

const line = fc.string({ unit: fc.constantFrom('a', ' ', 'क', '😀', ':', '…'), maxLength: 80 });
const texts = fc.array(line, { maxLength: 120 }).map((lines) => lines.join('\n'));
const budgets = fc.integer({ min: 500, max: 3_000 });
/** Short enough never to be cut. */
const edge = fc
  .string({ unit: fc.constantFrom('x', 'ज', ' '), minLength: 1, maxLength: 90 })
  .map((text) => `>${text}<`);

describe('a transcript', () => {
  it('that fits is unchanged', () => {
    expect(cutTranscript('AI: Hello.\nUser: Hi.', 500)).toEqual({ text: 'AI: Hello.\nUser: Hi.', isCut: false });
    expect(cutTranscript('a'.repeat(500), 500)).toEqual({ text: 'a'.repeat(500), isCut: false });
    forAll([texts], (text) => {
      expect(cutTranscript(text, 20_000)).toEqual({ text: text.trim(), isCut: false });
    });
  });

  it('that is too long is cut in the middle, at line breaks, with a mark that counts the omission', () => {
    const lines = Array.from({ length: 100 }, (_, number) => `User: line ${number} ${'.'.repeat(20)}`);
    const { text, isCut } = cutTranscript(lines.join('\n'), 1_000);
    expect(isCut).toBe(true);
    const [head = '', tail = ''] = text.split(MARK).filter((part) => !/^\d+$/.test(part));
    const kept = [...head.split('\n'), ...tail.split('\n')];
    expect(kept).toEqual([...lines.slice(0, head.split('\n').length), ...lines.slice(-tail.split('\n').length)]);
    const [, missing] = MARK.exec(text) ?? [];
    expect(Number(missing)).toBe(lines.length - kept.length);
  });

  it('of one very long line is cut within the line', () => {
    const { text } = cutTranscript(`AI: hm\nUser: ${'और '.repeat(5_000)}end`, 1_000);
    expect(text.length).toBeGreaterThan(900);
    expect(text).toMatch(/^AI: hm\nUser: और /);
    expect(text.endsWith('end')).toBe(true);
  });

  it('never exceeds the budget, and its mark counts every omitted character', () => {
    forAll([texts, budgets], { numRuns: 500 }, (said, most) => {
      const { text, isCut } = cutTranscript(said, most);
      expect(text.length).toBeLessThanOrEqual(most);
      if (!isCut) return;
      const mark = MARK.exec(text);
      const head = text.slice(0, mark?.index);
      const tail = text.slice((mark?.index ?? 0) + (mark?.[0].length ?? 0));
      expect(said.trim().startsWith(head)).toBe(true);
      expect(said.trim().endsWith(tail)).toBe(true);
      expect(head.length + Number(mark?.[2]) + tail.length).toBe(said.trim().length);
      expect(head.isWellFormed() && tail.isWellFormed()).toBe(true);
    });
  });

  it('always contains its first and its last line', () => {
    forAll([edge, texts, edge, budgets], { numRuns: 500 }, (first, middle, last, most) => {
      const { text } = cutTranscript([first, middle, last].join('\n'), most);
      expect(text.startsWith(first)).toBe(true);
      expect(text.endsWith(last)).toBe(true);
    });
  });
});
