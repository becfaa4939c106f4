import { deflateSync } from 'node:zlib';

/** Returns the operators that show a text on a page. */
export const shows = (text: string): string => `BT /F1 12 Tf 20 700 Td (${text.replace(/[()\\]/g, '\\$&')}) Tj ET`;

export type PdfOptions = {
  /** The content stream of each page. */
  pages: readonly (string | Uint8Array)[];
  isDeflated?: boolean;
  /** Raw deflated data in place of the pages' streams. */
  packed?: readonly Uint8Array[];
  /** More entries of the trailer, such as `/Encrypt`. */
  trailer?: string;
};

/** Builds a PDF with a standard font. Equal pages share their content stream. */
export function pdf({ pages, isDeflated = false, packed, trailer = '' }: PdfOptions): Buffer {
  const contents = [...new Set(pages)];
  const firstContent = 4;
  const firstPage = firstContent + contents.length;
  const numberOf = new Map(contents.map((content, index) => [content, firstContent + index]));
  const bodies: Buffer[] = [
    Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
    Buffer.from(
      `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, index) => `${firstPage + index} 0 R`).join(' ')}] >>`,
    ),
    Buffer.from('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'),
    ...contents.map((content, index) => {
      const bytes = typeof content === 'string' ? Buffer.from(content, 'latin1') : Buffer.from(content);
      const data = packed?.[index] ?? (isDeflated ? deflateSync(bytes) : bytes);
      const filter = isDeflated || packed ? ' /Filter /FlateDecode' : '';
      return Buffer.concat([
        Buffer.from(`<< /Length ${data.length}${filter} >>\nstream\n`),
        data,
        Buffer.from('\nendstream'),
      ]);
    }),
    ...pages.map((content) =>
      Buffer.from(
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${numberOf.get(content)} 0 R >>`,
      ),
    ),
  ];
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1')];
  const offsets: number[] = [];
  let length = parts[0]?.length ?? 0;
  bodies.forEach((body, index) => {
    const object = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), body, Buffer.from('\nendobj\n')]);
    offsets.push(length);
    length += object.length;
    parts.push(object);
  });
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  parts.push(
    Buffer.from(
      `xref\n0 ${bodies.length + 1}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${bodies.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${length}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}
