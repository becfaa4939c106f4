import fc from 'fast-check';
import { beginningOf } from '../../../shared/documents/docx-beginning.ts';
import { paragraph, wordXml } from '../../support/documents/docx.ts';
import { forAll } from '../../support/values/for-all.ts';

const textOf = (xml: string) => [...xml.matchAll(/<w:t[^>]*>([^<]*)<\/w:t>/g)].map(([, text]) => text).join('');

/** Checks that every tag is closed in order. */
function isBalanced(xml: string): boolean {
  const open: string[] = [];
  for (const [, closing, name, empty] of xml.matchAll(/<(\/?)([\w:]+)[^>]*?(\/?)>/g)) {
    if (closing) {
      if (open.pop() !== name) return false;
    } else if (!empty) open.push(name ?? '');
  }
  return open.length === 0;
}

describe('the beginning of a document', () => {
  it('is the whole of a short document, byte for byte', () => {
    const xml = wordXml(paragraph('one') + paragraph('two'));
    expect(beginningOf(xml, 100)).toEqual({ xml, characters: 6 });
  });

  it('ends after the paragraph with the last character and closes the open tags', () => {
    const xml = wordXml(`<w:tbl><w:tr><w:tc>${paragraph('one')}${paragraph('two')}</w:tc></w:tr></w:tbl>`);
    const beginning = beginningOf(xml, 3);
    expect(textOf(beginning.xml)).toBe('one');
    expect(beginning.xml).toMatch(/<\/w:p><\/w:tc><\/w:tr><\/w:tbl><\/w:body><\/w:document>$/);
  });

  it('counts an entity as one character and ignores markup', () => {
    const xml = wordXml(`<!-- ${paragraph('not')} --><![CDATA[<w:t>not</w:t>]]>${paragraph('&amp;&#x20B9;')} \n not`);
    expect(beginningOf(xml, 100).characters).toBe(2);
  });

  it('has balanced tags and at least the requested amount of text, or all of it', () => {
    const paragraphs = fc.array(fc.array(fc.stringMatching(/^[a-z ]{0,20}$/), { maxLength: 4 }), { maxLength: 30 });
    forAll([paragraphs, fc.nat(300), fc.nat(3)], (texts, most, depth) => {
      const body = texts.map((runs) => runs.map(paragraph).join('')).join('<w:p/>');
      const xml = wordXml(`${'<w:sdt>'.repeat(depth)}${body}${'</w:sdt>'.repeat(depth)}`);
      const beginning = beginningOf(xml, most);
      const all = textOf(xml);
      const text = textOf(beginning.xml);
      expect(all.startsWith(text)).toBe(true);
      expect(text.length).toBeGreaterThanOrEqual(Math.min(most, all.length));
      expect(isBalanced(beginning.xml)).toBe(true);
    });
  });

  it('leaves malformed XML unchanged and ends on any input', () => {
    for (const xml of ['', '<', '<w:p', '</w:p>', '<a></b>', '<!-- ', '<![CDATA[', '<w:t>a', `<${'x'.repeat(1_000)}>`])
      expect(beginningOf(xml, 0).xml).toBe(xml);
    const parts = fc.constantFrom('<', '>', '/', '<w:p>', '</w:p>', '<!--', '-->', 'w:t', ' ');
    forAll([fc.array(parts).map((all) => all.join(''))], (xml) => {
      expect(beginningOf(xml, 5).xml.length).toBeLessThanOrEqual(xml.length);
    });
  });
});
