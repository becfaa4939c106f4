import { constants, deflateRawSync } from 'node:zlib';
import { archive, docx, paragraph, rawArchive, wordXml } from './docx.ts';
import { pdf, shows } from './pdf.ts';
import { noise, prose } from './prose.ts';

export type HostileFile = {
  /** The defect. */
  what: string;
  filename: string;
  bytes: () => Buffer;
  /** The error, or the text; 'either' if the machine's speed decides. */
  ends: { refused: RegExp } | { text: RegExp } | 'either';
};

const megabyte = 1024 * 1024;
const times = (count: number, text: string) => text.repeat(count);

/** Packs a bomb in pieces, so that it is never in memory as a whole. @param count in megabytes. */
function deflatedMegabytes(count: number, byte: string): Buffer {
  const piece = deflateRawSync(Buffer.alloc(megabyte, byte), { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  const end = deflateRawSync(Buffer.alloc(0));
  return Buffer.concat([...Array.from({ length: count }, () => piece), end]);
}

const refused = (...words: string[]) => ({ refused: new RegExp(words.join('|')) });
const emptyParagraph = '<w:p><w:r><w:t>a</w:t></w:r></w:p>';
const notDocx = 'is not a .docx that can be read';
const notPdf = 'is not a PDF that can be read';
const aPdf = () => pdf({ pages: [shows('Good day.')] });
const aDocx = () => docx(paragraph('Good day.'));

const bombs: HostileFile[] = [
  {
    what: '200,000 paragraphs in 20 KB',
    filename: 'a.docx',
    bytes: () => docx(times(200_000, emptyParagraph)),
    ends: refused('packed more tightly'),
  },
  {
    what: 'a million paragraphs',
    filename: 'a.docx',
    bytes: () => docx(times(1_000_000, emptyParagraph)),
    ends: refused('packed more tightly'),
  },
  {
    what: '400 MB of one letter',
    filename: 'a.docx',
    bytes: () =>
      rawArchive([
        { name: 'word/document.xml', packed: deflatedMegabytes(400, 'A'), claims: { size: 400 * megabyte } },
      ]),
    ends: refused('packed more tightly'),
  },
  {
    what: '400 MB that say they are 400 KB',
    filename: 'a.docx',
    bytes: () =>
      rawArchive([{ name: 'word/document.xml', packed: deflatedMegabytes(400, 'A'), claims: { size: 400 * 1024 } }]),
    ends: refused(notDocx),
  },
  {
    what: '150,000 empty paragraphs that no ratio betrays',
    filename: 'a.docx',
    bytes: () =>
      docx(
        noise(150_000)
          .split(' ')
          .map((word) => `<w:p w:rsidR="${word}"><w:r/></w:p>`)
          .join(''),
      ),
    ends: 'either',
  },
  {
    what: '7 MB of marks in one paragraph',
    filename: 'a.docx',
    bytes: () =>
      docx(
        `<w:p>${noise(250_000)
          .split(' ')
          .map((word) => `<w:r w:a="${word}"/>`)
          .join('')}</w:p>`,
      ),
    ends: 'either',
  },
  {
    what: '12 MB of XML with hardly a word',
    filename: 'a.docx',
    bytes: () =>
      docx(
        noise(400_000)
          .split(' ')
          .map((word) => `<w:p w:rsidR="${word}"/>`)
          .join(''),
      ),
    ends: refused('holds too much that is not text'),
  },
  {
    what: '20,000 pages',
    filename: 'a.pdf',
    bytes: () => pdf({ pages: Array.from({ length: 20_000 }, () => shows('Page.')) }),
    ends: { text: /^Page\./ },
  },
  {
    what: 'a page that inflates to 100 MB',
    filename: 'a.pdf',
    bytes: () =>
      pdf({
        pages: [shows('Good day.')],
        packed: [Buffer.concat([Buffer.from([0x78, 0x9c]), deflatedMegabytes(100, ' '), Buffer.alloc(4)])],
      }),
    ends: 'either',
  },
  {
    what: 'a page that inflates to 1 GB',
    filename: 'a.pdf',
    bytes: () =>
      pdf({
        pages: [shows('Good day.')],
        packed: [Buffer.concat([Buffer.from([0x78, 0x9c]), deflatedMegabytes(1_024, ' '), Buffer.alloc(4)])],
      }),
    ends: 'either',
  },
  {
    what: 'two million marks on a page',
    filename: 'a.pdf',
    bytes: () => pdf({ isDeflated: true, pages: [`BT /F1 1 Tf ${times(2_000_000, '(a) Tj ')}ET`] }),
    ends: 'either',
  },
  {
    what: 'twenty million marks on a page',
    filename: 'a.pdf',
    bytes: () => pdf({ isDeflated: true, pages: [`BT /F1 1 Tf ${times(20_000_000, "(a)' ")}ET`] }),
    ends: 'either',
  },
  {
    what: 'a page tree that is its own child',
    filename: 'a.pdf',
    bytes: () =>
      Buffer.from(
        aPdf()
          .toString('latin1')
          .replace(/\/Kids \[5 0 R\]/, '/Kids [2 0 R]'),
        'latin1',
      ),
    ends: refused(notPdf, 'no text'),
  },
];

const nested: HostileFile[] = [
  {
    what: '5,000 nested w:sdt',
    filename: 'a.docx',
    bytes: () =>
      docx(`${times(5_000, '<w:sdt><w:sdtContent>')}${paragraph('deep')}${times(5_000, '</w:sdtContent></w:sdt>')}`, {
        'word/media/a.png': noise(40_000),
      }),
    ends: refused(notDocx, 'packed more tightly'),
  },
  {
    what: '5,000 nested marks that no ratio betrays',
    filename: 'a.docx',
    bytes: () => {
      const words = noise(5_000).split(' ');
      return docx(
        `${words.map((word) => `<w:sdt w:a="${word}"><w:sdtContent>`).join('')}${paragraph('deep')}${times(words.length, '</w:sdtContent></w:sdt>')}`,
      );
    },
    ends: refused(notDocx),
  },
  {
    what: '100,000 arrays within each other',
    filename: 'a.pdf',
    bytes: () => pdf({ pages: [`${times(100_000, '[')} ${shows('x')}`] }),
    ends: 'either',
  },
  {
    what: 'a trailer of 100,000 arrays within each other',
    filename: 'a.pdf',
    bytes: () => pdf({ pages: [shows('x')], trailer: `/A ${times(100_000, '[')}${times(100_000, ']')}` }),
    ends: 'either',
  },
  {
    what: 'a billion laughs',
    filename: 'a.docx',
    bytes: () => {
      const entities = Array.from(
        { length: 9 },
        (_, index) => `<!ENTITY l${index + 1} "${times(10, `&l${index};`)}">`,
      ).join('');
      const declaration = `<!DOCTYPE w:document [<!ENTITY l0 "lol">${entities}]>`;
      return archive({ 'word/document.xml': wordXml(paragraph('&l9;'), declaration) });
    },
    ends: 'either',
  },
  {
    what: 'an entity that names a file of the machine',
    filename: 'a.docx',
    bytes: () =>
      archive({
        'word/document.xml': wordXml(
          paragraph('begin &file; end'),
          '<!DOCTYPE w:document [<!ENTITY file SYSTEM "file:///etc/passwd">]>',
        ),
      }),
    ends: 'either',
  },
  {
    what: 'a picture that is a file of the machine',
    filename: 'a.docx',
    bytes: () =>
      docx(`${paragraph('Good day.')}<w:p><w:r><w:drawing><a:blip r:link="rId9"/></w:drawing></w:r></w:p>`, {
        'word/_rels/document.xml.rels':
          '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId9" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" Target="file:///etc/passwd" TargetMode="External"/></Relationships>',
      }),
    ends: { text: /^Good day\.$/ },
  },
];

const archives: HostileFile[] = [
  {
    what: 'an encrypted archive',
    filename: 'a.docx',
    bytes: () => rawArchive([{ name: 'word/document.xml', data: noise(100), claims: { flags: 1 } }]),
    ends: refused('protected by a password'),
  },
  {
    what: 'an encrypted Word file',
    filename: 'a.docx',
    bytes: () => Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(4_096)]),
    ends: refused('whatever its name says'),
  },
  {
    what: 'parts that are longer than they say',
    filename: 'a.docx',
    bytes: () =>
      rawArchive([{ name: 'word/document.xml', data: wordXml(paragraph(prose(500))), claims: { size: 900 } }]),
    ends: refused(notDocx),
  },
  {
    what: 'parts that are shorter than they say',
    filename: 'a.docx',
    bytes: () =>
      rawArchive([{ name: 'word/document.xml', data: wordXml(paragraph(prose(50))), claims: { size: 9_000 } }]),
    ends: refused(notDocx),
  },
  {
    what: 'a part that reaches beyond the archive',
    filename: 'a.docx',
    bytes: () =>
      rawArchive([{ name: 'word/document.xml', data: wordXml(paragraph('x')), claims: { compressedSize: 90_000 } }]),
    ends: refused(notDocx),
  },
  {
    what: 'an unknown way of packing',
    filename: 'a.docx',
    bytes: () => rawArchive([{ name: 'word/document.xml', data: wordXml(paragraph('x')), claims: { method: 99 } }]),
    ends: refused(notDocx),
  },
  {
    what: 'names that lead out of the archive',
    filename: 'a.docx',
    bytes: () => docx(paragraph('Good day.'), { '../../etc/passwd': 'root' }),
    ends: refused(notDocx),
  },
  {
    what: 'ZIP64, which is no crime',
    filename: 'a.docx',
    bytes: () => rawArchive([{ name: 'word/document.xml', data: wordXml(paragraph('Good day.')) }], { zip64: true }),
    ends: { text: /^Good day\.$/ },
  },
  {
    what: 'ZIP64 with four billion entries',
    filename: 'a.docx',
    bytes: () =>
      rawArchive([{ name: 'word/document.xml', data: wordXml(paragraph('x')) }], { zip64: true, count: 2 ** 32 }),
    ends: refused('more than 512 parts'),
  },
  {
    what: 'an archive in an archive in an archive',
    filename: 'a.docx',
    bytes: () => docx(paragraph('Good day.'), { 'word/embeddings/a.docx': docx(paragraph('x'), { 'b.zip': aDocx() }) }),
    ends: { text: /^Good day\.$/ },
  },
  {
    what: '1,000 parts',
    filename: 'a.docx',
    bytes: () =>
      archive(Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`word/part${index}.xml`, '<a/>']))),
    ends: refused('more than 512 parts'),
  },
  {
    what: 'an archive without a document',
    filename: 'a.docx',
    bytes: () => archive({ 'xl/workbook.xml': '<a/>' }),
    ends: refused('no word/document.xml'),
  },
  {
    what: 'half an archive',
    filename: 'a.docx',
    bytes: () => aDocx().subarray(0, 400),
    ends: refused(notDocx),
  },
  {
    what: 'a document without text',
    filename: 'a.docx',
    bytes: () => docx('<w:p/>'),
    ends: refused('holds no text'),
  },
  {
    what: 'XML that ends in the middle',
    filename: 'a.docx',
    bytes: () => archive({ 'word/document.xml': wordXml(paragraph('x')).slice(0, 200) }),
    ends: 'either',
  },
];

const pdfs: HostileFile[] = [
  {
    what: 'a PDF behind a password',
    filename: 'a.pdf',
    bytes: () => {
      const [owner, user] = ['11', '22'].map((byte) => byte.repeat(32));
      return pdf({
        pages: [shows('secret')],
        trailer: `/Encrypt << /Filter /Standard /V 1 /R 2 /O <${owner}> /U <${user}> /P -4 >> /ID [<${owner}> <${owner}>]`,
      });
    },
    ends: refused('protected by a password'),
  },
  {
    what: 'half a PDF',
    filename: 'a.pdf',
    bytes: () => aPdf().subarray(0, 60),
    ends: refused(notPdf, 'no text'),
  },
  {
    what: 'a table of contents that points nowhere, which pdf.js mends',
    filename: 'a.pdf',
    bytes: () =>
      Buffer.from(
        aPdf()
          .toString('latin1')
          .replace(/^\d{10} 00000 n/gm, '9999999999 00000 n'),
        'latin1',
      ),
    ends: { text: /Good day\./ },
  },
  {
    what: 'a mark of a PDF and nothing else',
    filename: 'a.pdf',
    bytes: () => Buffer.from('%PDF-1.7\n'),
    ends: refused(notPdf),
  },
  {
    what: 'a PDF without text',
    filename: 'a.pdf',
    bytes: () => pdf({ pages: ['0 0 m 100 100 l S'] }),
    ends: refused('holds no text'),
  },
  {
    what: 'a stream that is packed wrongly',
    filename: 'a.pdf',
    bytes: () => pdf({ pages: [shows('x')], packed: [Buffer.from(noise(200))] }),
    ends: refused(notPdf, 'no text'),
  },
  {
    what: 'a stream that says it is four billion bytes long',
    filename: 'a.pdf',
    bytes: () =>
      Buffer.from(
        aPdf()
          .toString('latin1')
          .replace(/\/Length \d+/, '/Length 4294967295'),
        'latin1',
      ),
    ends: 'either',
  },
];

const disguised: HostileFile[] = [
  {
    what: 'a program named .pdf',
    filename: 'a.pdf',
    bytes: () => Buffer.concat([Buffer.from('MZ\x90\x00', 'latin1'), Buffer.alloc(2_000, 7)]),
    ends: refused('whatever its name says'),
  },
  { what: 'a PDF named .docx', filename: 'a.docx', bytes: aPdf, ends: refused('whatever its name says') },
  { what: 'a .docx named .pdf', filename: 'a.pdf', bytes: aDocx, ends: refused('whatever its name says') },
  { what: 'a .docx named .txt', filename: 'a.txt', bytes: aDocx, ends: refused('is not text') },
  { what: 'a program', filename: 'a.exe', bytes: () => Buffer.from('MZ'), ends: refused('of a type that is not read') },
  {
    what: 'a program that writing backwards shows as a PDF',
    filename: 'a\u202Efdp.exe',
    bytes: aPdf,
    ends: refused('of a type that is not read'),
  },
  { what: 'a name without an ending', filename: 'pdf', bytes: aPdf, ends: refused('of a type that is not read') },
  { what: 'an empty text', filename: 'a.txt', bytes: () => Buffer.alloc(0), ends: refused('is empty') },
  { what: 'an empty PDF', filename: 'a.pdf', bytes: () => Buffer.alloc(0), ends: refused('is empty') },
  { what: 'nothing but white space', filename: 'a.md', bytes: () => Buffer.from(' \n\t \n'), ends: refused('no text') },
  {
    what: 'a text with zeros',
    filename: 'a.txt',
    bytes: () => Buffer.from('one\0two'),
    ends: refused('is not text'),
  },
  {
    what: 'a text in an old encoding',
    filename: 'a.txt',
    bytes: () => Buffer.from('caf\xe9 au lait', 'latin1'),
    ends: refused('is not text'),
  },
  {
    what: 'a text in UTF-16',
    filename: 'a.txt',
    bytes: () => Buffer.from('\uFEFFनमस्ते', 'utf16le'),
    ends: { text: /^नमस्ते$/ },
  },
  {
    what: 'half a character of UTF-16',
    filename: 'a.txt',
    bytes: () => Buffer.from('\uFEFFab', 'utf16le').subarray(0, 5),
    ends: refused('is not text'),
  },
];

/** Hostile and corrupt files, made at run time because some have megabytes. */
export const hostileFiles: readonly HostileFile[] = [...bombs, ...nested, ...archives, ...pdfs, ...disguised];
