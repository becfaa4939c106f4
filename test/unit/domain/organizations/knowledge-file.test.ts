import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Assistant } from '../../../../shared/domain/organizations/assistant.ts';
import {
  cleanFilename,
  decodeText,
  fitsOneItem,
  formatOf,
  hasRoom,
  hasSignature,
  knowledgeEntry,
  knowledgePath,
  knowledgeText,
  MOST_ENTRIES,
} from '../../../../shared/domain/organizations/knowledge-file.ts';
import { forAll } from '../../../support/for-all.ts';

const anAssistant = (prompt = 'Be brief.', entries = 0): Assistant => ({
  assistant_id: 'asst_1',
  org_id: 'org1',
  name: 'Asha',
  prompt,
  first_message: 'Namaste.',
  max_duration_seconds: 600,
  knowledge_base: Array.from({ length: entries }, (_, index) => anEntry(String(index))),
  created_at: '2026-03-02T06:00:00.000Z',
});
const now = new Date('2026-03-02T06:00:00.000Z');
const anEntry = (id: string, text = 'Text.') =>
  knowledgeEntry({ id, filename: 'a.txt', path: 'knowledge/a', text }, now);

describe('the name of a file', () => {
  it.each([
    ['a.txt', 'a.txt'],
    ['../../etc/passwd', 'passwd'],
    ['..\\..\\boot.ini', 'boot.ini'],
    ['C:\\docs\\price list.pdf', 'price list.pdf'],
    ['/', ''],
    ['a%00.txt', 'a.txt'],
    ['a\0b\r\n\t.txt', 'ab.txt'],
    ['invoice\u202Etxt.exe', 'invoicetxt.exe'],
    ['\uFEFFa\u200B.md', 'a.md'],
    ['  a \u00a0 b.txt ', 'a b.txt'],
    // Zero-width joiners are part of the letters in these names.
    ['क्\u200dष.txt', 'क्\u200dष.txt'],
    ['a\uD800.txt', 'a\uFFFD.txt'],
  ])('%j is shown as %j', (given, shown) => {
    expect(cleanFilename(given)).toBe(shown);
  });

  it('is truncated before its extension, and never within a character', () => {
    expect(cleanFilename(`${'n'.repeat(5_000)}.docx`)).toBe(`${'n'.repeat(114)}….docx`);
    expect(cleanFilename(`${'😀'.repeat(500)}.pdf`)).toMatch(/^(😀)+….pdf$/u);
    expect(cleanFilename('n'.repeat(5_000))).toHaveLength(120);
  });

  it('is never a path, has at most 120 visible characters, and does not change at a second cleaning', () => {
    const wild = fc.array(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.constantFrom('/', '\\', '..', '%00', '\u202E', '\r\n', '.pdf', '\uDC00'),
      ),
    );
    forAll([wild], { numRuns: 1_000 }, (parts) => {
      const name = cleanFilename(parts.join(''));
      expect(name).not.toMatch(/[/\\\p{Cc}\u202A-\u202E\u2066-\u2069]/u);
      expect(name.length).toBeLessThanOrEqual(120);
      expect(name.isWellFormed()).toBe(true);
      expect(cleanFilename(name)).toBe(name);
    });
  });

  it.each([
    ['a.txt', 'text'],
    ['a.b.MD', 'text'],
    ['A.PdF', 'pdf'],
    ['a.docx', 'docx'],
    ['a.pdf.exe', undefined],
    ['a.doc', undefined],
    ['txt', undefined],
    ['a.constructor', undefined],
    ['', undefined],
  ])('%j has the format %s', (name, format) => {
    expect(formatOf(name)).toBe(format);
  });
});

describe('the bytes of a file', () => {
  const bytes = (text: string) => Buffer.from(text, 'latin1');

  it('start with the signature of their format', () => {
    expect(hasSignature('pdf', bytes('%PDF-1.4'))).toBe(true);
    expect(hasSignature('pdf', bytes(`${' '.repeat(1_000)}%PDF-1.4`))).toBe(true);
    expect(hasSignature('pdf', bytes(`${' '.repeat(1_020)}%PDF-1.4`))).toBe(false);
    expect(hasSignature('pdf', bytes('PK\x03\x04'))).toBe(false);
    expect(hasSignature('docx', bytes('PK\x03\x04'))).toBe(true);
    expect(hasSignature('docx', bytes('PK\x05\x06'))).toBe(false);
    expect(hasSignature('docx', bytes(''))).toBe(false);
  });

  it('are decoded only from UTF-8, or from UTF-16 with a byte order mark', () => {
    const text = 'नमस्ते, 😀';
    expect(decodeText(Buffer.from(text))).toBe(text);
    expect(decodeText(Buffer.from(`\uFEFF${text}`))).toBe(text);
    const little = Buffer.from(`\uFEFF${text}`, 'utf16le');
    expect(decodeText(little)).toBe(text);
    expect(decodeText(Buffer.from(little).swap16())).toBe(text);
    expect(decodeText(bytes('caf\xe9'))).toBeUndefined();
    expect(decodeText(bytes('a\0b'))).toBeUndefined();
    expect(decodeText(little.subarray(0, -1))).toBeUndefined();
  });
});

describe('the text of a file', () => {
  it('is truncated to 50,000 characters, never within a character', () => {
    expect(knowledgeText('a'.repeat(50_000))).toHaveLength(50_000);
    expect(knowledgeText('a'.repeat(50_001))).toHaveLength(50_000);
    expect(knowledgeText(`${'a'.repeat(49_999)}😀`)).toBe('a'.repeat(49_999));
    expect(knowledgeText(`${'a'.repeat(49_998)}😀b`)).toBe(`${'a'.repeat(49_998)}😀`);
  });

  it('has its original lines, without control characters', () => {
    expect(knowledgeText(' \n a\tb\r\nc\x00\x07\x1b[0m\uFFFF ')).toBe('a\tb\r\nc[0m');
    expect(knowledgeText(' \x01\n ')).toBe('');
  });

  it('is well formed and within its limit for any output of a parser', () => {
    forAll([fc.string({ unit: 'binary', maxLength: 200 }), fc.nat(50_010)], (text, length) => {
      const kept = knowledgeText('x'.repeat(length) + text);
      expect(kept.isWellFormed()).toBe(true);
      expect(kept.length).toBeLessThanOrEqual(50_000);
    });
  });

  it('has a preview of one line with at most 200 characters', () => {
    expect(anEntry('kb_1', `one\n\n${'two '.repeat(400)}`).textPreview).toMatch(/^one two .{188,192}$/);
    expect(anEntry('kb_1', `${'a'.repeat(199)}😀`).textPreview).toBe('a'.repeat(199));
  });
});

describe('a knowledge entry', () => {
  it('stores its text under a key of our own ids', () => {
    expect(knowledgePath(anAssistant(), 'kb_1')).toBe('knowledge/org1/asst_1/kb_1.txt');
  });

  it('fits if the assistant has at most a hundred entries', () => {
    expect(hasRoom(anAssistant('', MOST_ENTRIES - 2), 2)).toBe(true);
    expect(hasRoom(anAssistant('', MOST_ENTRIES - 2), 3)).toBe(false);
  });

  it('fits if the assistant does not exceed the item size limit, counted in bytes', () => {
    const entries = [anEntry('kb_1')];
    expect(fitsOneItem(anAssistant('a'.repeat(150_000), 99), entries)).toBe(true);
    expect(fitsOneItem(anAssistant('न'.repeat(150_000)), entries)).toBe(false);
  });
});
