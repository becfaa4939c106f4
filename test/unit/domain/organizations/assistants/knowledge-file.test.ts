import fc from 'fast-check';
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
} from '../../../../../shared/domain/organizations/assistants/knowledge-file.ts';
import { anyText } from '../../../../support/values/any-text.ts';
import { forAll } from '../../../../support/values/for-all.ts';
import { anAssistant, ORG } from '../../../support/worlds/items.ts';

const anEntry = (id: string, text = 'Text.') =>
  knowledgeEntry(
    { id, filename: 'a.txt', path: 'knowledge/a', text },
    { kind: 'key', key_id: 'key_1', name: 'backend' },
    new Date('2026-03-02T06:00:00.000Z'),
  );
const withEntries = (count: number, prompt = 'Be brief.') =>
  anAssistant({ prompt, knowledge_base: Array.from({ length: count }, (_, index) => anEntry(String(index))) });

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

  it('is never a path, has at most 120 visible characters, and stays unchanged at a second cleaning', () => {
    const hostile = fc.constantFrom('/', '\\', '..', '%00', '\u202E', '\r\n', '.pdf', '\uDC00');
    const unit = fc.oneof(hostile, anyText());
    forAll([fc.string({ unit })], { numRuns: 1_000 }, (text) => {
      const name = cleanFilename(text);
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
    for (const pdf of ['%PDF-1.4', `${' '.repeat(1_000)}%PDF-1.4`]) expect(hasSignature('pdf', bytes(pdf))).toBe(true);
    for (const other of [`${' '.repeat(1_020)}%PDF-1.4`, 'PK\x03\x04'])
      expect(hasSignature('pdf', bytes(other))).toBe(false);
    expect(hasSignature('docx', bytes('PK\x03\x04'))).toBe(true);
    for (const other of ['PK\x05\x06', '']) expect(hasSignature('docx', bytes(other))).toBe(false);
  });

  it('are decoded only from UTF-8, or from UTF-16 with a byte order mark', () => {
    const text = 'नमस्ते, 😀';
    const little = Buffer.from(`\uFEFF${text}`, 'utf16le');
    const big = Buffer.from(little).swap16();
    for (const encoded of [Buffer.from(text), Buffer.from(`\uFEFF${text}`), little, big])
      expect(decodeText(encoded)).toBe(text);
    for (const other of [bytes('caf\xe9'), bytes('a\0b'), little.subarray(0, -1)])
      expect(decodeText(other)).toBeUndefined();
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
    forAll([anyText({ maxLength: 200 }), fc.nat(50_010)], (text, length) => {
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
    expect(knowledgePath(anAssistant(), 'kb_1')).toBe(`knowledge/${ORG}/asst_1/kb_1.txt`);
  });

  it('fits if the assistant has at most a hundred entries', () => {
    expect(hasRoom(withEntries(98), 2)).toBe(true);
    expect(hasRoom(withEntries(98), 3)).toBe(false);
  });

  it('fits if the assistant does not exceed the item size limit, counted in bytes', () => {
    expect(fitsOneItem(withEntries(99, 'a'.repeat(150_000)), [anEntry('kb_1')])).toBe(true);
    expect(fitsOneItem(withEntries(0, 'न'.repeat(150_000)), [anEntry('kb_1')])).toBe(false);
  });
});
