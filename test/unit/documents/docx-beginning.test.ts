import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { beginningOf } from '../../../shared/documents/docx-beginning.ts';
import { paragraph, wordXml } from '../../support/documents/docx.ts';

/** The text runs, one after the other. */
const textOf = (xml: string) => [...xml.matchAll(/<w:t[^>]*>([^<]*)<\/w:t>/g)].map(([, text]) => text).join('');

/** Every tag that opens is closed in its order. */
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
  it('is the whole of a short one, to the byte', () => {
    const xml = wordXml(paragraph('one') + paragraph('two'));
    expect(beginningOf(xml, 100)).toEqual({ xml, characters: 6 });
  });

  it('ends behind the paragraph that has the last character, and closes what is open', () => {
    const xml = wordXml(`<w:tbl><w:tr><w:tc>${paragraph('one')}${paragraph('two')}</w:tc></w:tr></w:tbl>`);
    const beginning = beginningOf(xml, 3);
    expect(textOf(beginning.xml)).toBe('one');
    expect(beginning.xml).toMatch(/<\/w:p><\/w:tc><\/w:tr><\/w:tbl><\/w:body><\/w:document>$/);
  });

  it('counts an entity as one character, and what is no text not at all', () => {
    const xml = wordXml(`<!-- ${paragraph('not')} --><![CDATA[<w:t>not</w:t>]]>${paragraph('&amp;&#x20B9;')} \n not`);
    expect(beginningOf(xml, 100).characters).toBe(2);
  });

  it('has at least as much text as was asked for, or all of it, and is balanced', () => {
    const paragraphs = fc.array(fc.array(fc.stringMatching(/^[a-z ]{0,20}$/), { maxLength: 4 }), { maxLength: 30 });
    fc.assert(
      fc.property(paragraphs, fc.nat(300), fc.nat(3), (texts, most, depth) => {
        const body = texts.map((runs) => runs.map(paragraph).join('')).join('<w:p/>');
        const xml = wordXml(`${'<w:sdt>'.repeat(depth)}${body}${'</w:sdt>'.repeat(depth)}`);
        const beginning = beginningOf(xml, most);
        const all = textOf(xml);
        const kept = textOf(beginning.xml);
        expect(all.startsWith(kept)).toBe(true);
        expect(kept.length).toBeGreaterThanOrEqual(Math.min(most, all.length));
        expect(isBalanced(beginning.xml)).toBe(true);
      }),
    );
  });

  it('leaves alone what is not well formed, and ends on anything', () => {
    for (const xml of ['', '<', '<w:p', '</w:p>', '<a></b>', '<!-- ', '<![CDATA[', '<w:t>a', `<${'x'.repeat(1_000)}>`])
      expect(beginningOf(xml, 0).xml).toBe(xml);
    fc.assert(
      fc.property(fc.array(fc.constantFrom('<', '>', '/', '<w:p>', '</w:p>', '<!--', '-->', 'w:t', ' ')), (parts) => {
        expect(beginningOf(parts.join(''), 5).xml.length).toBeLessThanOrEqual(parts.join('').length);
      }),
    );
  });
});
