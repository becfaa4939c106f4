import { constants, deflateRawSync } from 'node:zlib';
import { archive, docx, paragraph, type RawEntry, rawArchive, wordXml } from './docx.ts';
import { pdf, shows } from './pdf.ts';
import { noise, prose } from './prose.ts';

/** The expected error or text; 'either' if the machine's speed decides. */
type Ends = { refused: RegExp } | { text: RegExp } | 'either';

export type HostileFile = { what: string; filename: string; bytes: () => Buffer; ends: Ends };

const file = (filename: string, what: string, bytes: () => Buffer, ends: Ends): HostileFile => ({
  what,
  filename,
  bytes,
  ends,
});
const aWord = (what: string, bytes: () => Buffer, ends: Ends) => file('a.docx', what, bytes, ends);
const aPdf = (what: string, bytes: () => Buffer, ends: Ends) => file('a.pdf', what, bytes, ends);
const aText = (what: string, bytes: () => Buffer, ends: Ends) => file('a.txt', what, bytes, ends);

const megabyte = 1024 * 1024;
const times = (count: number, text: string) => text.repeat(count);

/** Packs a bomb in pieces, so that it is never in memory completely. @param count in megabytes */
function deflatedMegabytes(count: number, byte: string): Buffer {
  const piece = deflateRawSync(Buffer.alloc(megabyte, byte), { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  const end = deflateRawSync(Buffer.alloc(0));
  return Buffer.concat([...Array.from({ length: count }, () => piece), end]);
}

const refused = (...words: string[]): Ends => ({ refused: new RegExp(words.join('|')) });
const notDocx = refused('is not a .docx that can be read');
const notPdf = refused('is not a PDF that can be read', 'no text');
const tooTight = refused('compressed more');
const misnamed = refused('whatever its name says');
const unreadType = refused('of a type that is not read');
const notText = refused('is not text');
const goodDay: Ends = { text: /^Good day\.$/ };

const emptyParagraph = '<w:p><w:r><w:t>a</w:t></w:r></w:p>';
const goodPdf = () => pdf({ pages: [shows('Good day.')] });
const goodDocx = () => docx(paragraph('Good day.'));
const rawDocument = (entry: Omit<RawEntry, 'name'>) => rawArchive([{ name: 'word/document.xml', ...entry }]);
/** Returns XML elements with words that hardly compress, so that no ratio reveals them. */
const elements = (count: number, element: (word: string) => string) => noise(count).split(' ').map(element).join('');
const spoiltPdf = (pattern: RegExp, by: string) =>
  Buffer.from(goodPdf().toString('latin1').replace(pattern, by), 'latin1');
const pageOf = (megabytes: number) =>
  pdf({
    pages: [shows('Good day.')],
    packed: [Buffer.concat([Buffer.from([0x78, 0x9c]), deflatedMegabytes(megabytes, ' '), Buffer.alloc(4)])],
  });
const fourHundred = (size: number) => rawDocument({ packed: deflatedMegabytes(400, 'A'), claims: { size } });

const bombs: HostileFile[] = [
  aWord('200,000 paragraphs in 20 KB', () => docx(times(200_000, emptyParagraph)), tooTight),
  aWord('a million paragraphs', () => docx(times(1_000_000, emptyParagraph)), tooTight),
  aWord('400 MB of one letter', () => fourHundred(400 * megabyte), tooTight),
  aWord('400 MB that claim to be 400 KB', () => fourHundred(400 * 1024), notDocx),
  aWord(
    '150,000 empty paragraphs that no ratio reveals',
    () => docx(elements(150_000, (word) => `<w:p w:rsidR="${word}"><w:r/></w:p>`)),
    'either',
  ),
  aWord(
    '7 MB of elements in one paragraph',
    () => docx(`<w:p>${elements(250_000, (word) => `<w:r w:a="${word}"/>`)}</w:p>`),
    'either',
  ),
  aWord(
    '12 MB of XML with hardly a word',
    () => docx(elements(400_000, (word) => `<w:p w:rsidR="${word}"/>`)),
    refused('contains too much data that is not text'),
  ),
  aPdf('5,000 pages', () => pdf({ pages: Array.from({ length: 5_000 }, () => shows('Page.')) }), { text: /^Page\./ }),
  aPdf('a page that inflates to 100 MB', () => pageOf(100), 'either'),
  aPdf('a page that inflates to 1 GB', () => pageOf(1_024), 'either'),
  aPdf(
    'two million text operators on a page',
    () => pdf({ isDeflated: true, pages: [`BT /F1 1 Tf ${times(2_000_000, '(a) Tj ')}ET`] }),
    'either',
  ),
  aPdf(
    'twenty million text operators on a page',
    () => pdf({ isDeflated: true, pages: [`BT /F1 1 Tf ${times(20_000_000, "(a)' ")}ET`] }),
    'either',
  ),
  aPdf('a page tree that is its own child', () => spoiltPdf(/\/Kids \[5 0 R\]/, '/Kids [2 0 R]'), notPdf),
];

const nested: HostileFile[] = [
  aWord(
    '5,000 nested w:sdt',
    () =>
      docx(`${times(5_000, '<w:sdt><w:sdtContent>')}${paragraph('deep')}${times(5_000, '</w:sdtContent></w:sdt>')}`, {
        'word/media/a.png': noise(40_000),
      }),
    refused('is not a .docx that can be read', 'compressed more'),
  ),
  aWord(
    '5,000 nested elements that no ratio reveals',
    () => {
      const opening = elements(5_000, (word) => `<w:sdt w:a="${word}"><w:sdtContent>`);
      return docx(`${opening}${paragraph('deep')}${times(5_000, '</w:sdtContent></w:sdt>')}`);
    },
    notDocx,
  ),
  aPdf('100,000 arrays within each other', () => pdf({ pages: [`${times(100_000, '[')} ${shows('x')}`] }), 'either'),
  aPdf(
    'a trailer of 100,000 arrays within each other',
    () => pdf({ pages: [shows('x')], trailer: `/A ${times(100_000, '[')}${times(100_000, ']')}` }),
    'either',
  ),
  aWord(
    'a billion laughs',
    () => {
      const entity = (_: unknown, index: number) => `<!ENTITY l${index + 1} "${times(10, `&l${index};`)}">`;
      const declaration = `<!DOCTYPE w:document [<!ENTITY l0 "lol">${Array.from({ length: 9 }, entity).join('')}]>`;
      return archive({ 'word/document.xml': wordXml(paragraph('&l9;'), declaration) });
    },
    'either',
  ),
  aWord(
    'an entity that names a file of the machine',
    () => {
      const declaration = '<!DOCTYPE w:document [<!ENTITY file SYSTEM "file:///etc/passwd">]>';
      return archive({ 'word/document.xml': wordXml(paragraph('begin &file; end'), declaration) });
    },
    'either',
  ),
  aWord(
    'a picture that is a file of the machine',
    () =>
      docx(`${paragraph('Good day.')}<w:p><w:r><w:drawing><a:blip r:link="rId9"/></w:drawing></w:r></w:p>`, {
        'word/_rels/document.xml.rels':
          '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId9" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" Target="file:///etc/passwd" TargetMode="External"/></Relationships>',
      }),
    goodDay,
  ),
];

const archives: HostileFile[] = [
  aWord(
    'an encrypted archive',
    () => rawDocument({ data: noise(100), claims: { flags: 1 } }),
    refused('protected by a password'),
  ),
  aWord(
    'an encrypted Word file',
    () => Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(4_096)]),
    misnamed,
  ),
  aWord(
    'parts that are longer than they say',
    () => rawDocument({ data: wordXml(paragraph(prose(500))), claims: { size: 900 } }),
    notDocx,
  ),
  aWord(
    'parts that are shorter than they say',
    () => rawDocument({ data: wordXml(paragraph(prose(50))), claims: { size: 9_000 } }),
    notDocx,
  ),
  aWord(
    'a part that reaches beyond the archive',
    () => rawDocument({ data: wordXml(paragraph('x')), claims: { compressedSize: 90_000 } }),
    notDocx,
  ),
  aWord(
    'an unknown compression method',
    () => rawDocument({ data: wordXml(paragraph('x')), claims: { method: 99 } }),
    notDocx,
  ),
  aWord(
    'names that lead out of the archive',
    () => docx(paragraph('Good day.'), { '../../etc/passwd': 'root' }),
    notDocx,
  ),
  aWord(
    'ZIP64, which is valid',
    () => rawArchive([{ name: 'word/document.xml', data: wordXml(paragraph('Good day.')) }], { zip64: true }),
    goodDay,
  ),
  aWord(
    'ZIP64 with four billion entries',
    () => rawArchive([{ name: 'word/document.xml', data: wordXml(paragraph('x')) }], { zip64: true, count: 2 ** 32 }),
    refused('more than 512 parts'),
  ),
  aWord(
    'an archive in an archive in an archive',
    () => docx(paragraph('Good day.'), { 'word/embeddings/a.docx': docx(paragraph('x'), { 'b.zip': goodDocx() }) }),
    goodDay,
  ),
  aWord(
    '1,000 parts',
    () => archive(Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`word/part${index}.xml`, '<a/>']))),
    refused('more than 512 parts'),
  ),
  aWord('an archive without a document', () => archive({ 'xl/workbook.xml': '<a/>' }), refused('no word/document.xml')),
  aWord('half an archive', () => goodDocx().subarray(0, 400), notDocx),
  aWord('a document without text', () => docx('<w:p/>'), refused('contains no text')),
  aWord(
    'XML that ends in the middle',
    () => archive({ 'word/document.xml': wordXml(paragraph('x')).slice(0, 200) }),
    'either',
  ),
];

const pdfs: HostileFile[] = [
  aPdf(
    'a PDF behind a password',
    () => {
      const [owner, user] = ['11', '22'].map((byte) => byte.repeat(32));
      return pdf({
        pages: [shows('secret')],
        trailer: `/Encrypt << /Filter /Standard /V 1 /R 2 /O <${owner}> /U <${user}> /P -4 >> /ID [<${owner}> <${owner}>]`,
      });
    },
    refused('protected by a password'),
  ),
  aPdf('half a PDF', () => goodPdf().subarray(0, 60), notPdf),
  aPdf(
    'cross-references that point nowhere, which pdf.js repairs',
    () => spoiltPdf(/^\d{10} 00000 n/gm, '9999999999 00000 n'),
    { text: /Good day\./ },
  ),
  aPdf('only the header of a PDF', () => Buffer.from('%PDF-1.7\n'), refused('is not a PDF that can be read')),
  aPdf('a PDF without text', () => pdf({ pages: ['0 0 m 100 100 l S'] }), refused('contains no text')),
  aPdf(
    'a stream with invalid compressed data',
    () => pdf({ pages: [shows('x')], packed: [Buffer.from(noise(200))] }),
    notPdf,
  ),
  aPdf(
    'a stream that says it is four billion bytes long',
    () => spoiltPdf(/\/Length \d+/, '/Length 4294967295'),
    'either',
  ),
];

const disguised: HostileFile[] = [
  aPdf(
    'a program named .pdf',
    () => Buffer.concat([Buffer.from('MZ\x90\x00', 'latin1'), Buffer.alloc(2_000, 7)]),
    misnamed,
  ),
  aWord('a PDF named .docx', goodPdf, misnamed),
  aPdf('a .docx named .pdf', goodDocx, misnamed),
  aText('a .docx named .txt', goodDocx, notText),
  file('a.exe', 'a program', () => Buffer.from('MZ'), unreadType),
  file('a\u202Efdp.exe', 'a program whose name looks like a PDF’s when shown from right to left', goodPdf, unreadType),
  file('pdf', 'a name without an ending', goodPdf, unreadType),
  aText('an empty text', () => Buffer.alloc(0), refused('is empty')),
  aPdf('an empty PDF', () => Buffer.alloc(0), refused('is empty')),
  file('a.md', 'only white space', () => Buffer.from(' \n\t \n'), refused('no text')),
  aText('a text with zeros', () => Buffer.from('one\0two'), notText),
  aText('a text in an old encoding', () => Buffer.from('caf\xe9 au lait', 'latin1'), notText),
  aText('a text in UTF-16', () => Buffer.from('\uFEFFनमस्ते', 'utf16le'), { text: /^नमस्ते$/ }),
  aText('half a character of UTF-16', () => Buffer.from('\uFEFFab', 'utf16le').subarray(0, 5), notText),
];

/** Hostile and corrupt files, created at run time because some have megabytes. */
export const hostileFiles: readonly HostileFile[] = [...bombs, ...nested, ...archives, ...pdfs, ...disguised];
