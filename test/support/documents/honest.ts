import { docx, paragraph } from './docx.ts';
import { pdf, shows } from './pdf.ts';
import { noise, prose } from './prose.ts';

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** A .docx of 3.5 MB, all of it text. */
export const bigDocx = (): Buffer => docx(times(6_900, (index) => paragraph(noise(75, `p${index}`))).join(''));

/** A .docx of 2.2 MB, mostly a picture, with a hundred pages of text. */
export const picturesDocx = (): Buffer =>
  docx(times(900, (index) => paragraph(prose(40, `p${index}`))).join(''), {
    'word/media/image1.png': Buffer.from(noise(330_000, 'picture')),
  });

/** A PDF of 200 pages with 50 lines each. */
export const bigPdf = (): Buffer =>
  pdf({
    isDeflated: true,
    pages: times(200, (page) =>
      times(50, (line) => shows(prose(12, `${page} ${line}`)).replace('700 Td', `${800 - line * 15} Td`)).join('\n'),
    ),
  });

/** A PDF of 200 pages with one line each: the reader must read all pages. */
export const sparsePdf = (): Buffer =>
  pdf({ isDeflated: true, pages: times(200, (page) => shows(prose(12, `${page}`))) });
