/** What the service and the child process that reads documents for it say to each other. */

/** The formats that need a parser; plain text is read without the child. */
export type DocumentKind = 'pdf' | 'docx';

export type Document = { kind: DocumentKind; bytes: Uint8Array };

/** The text of a document, cut; or why it cannot be read, as the end of a sentence that begins with the file's name. */
export type Extracted = { text: string } | { unreadable: string };

/** What a document's reader throws where the document is at fault. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

/** The child has its parsers loaded: what goes wrong from here on is the documents' doing. */
export const READY = 'ready';

/** @returns one line that names kinds and lengths, and then all bytes. */
export function packDocuments(documents: readonly Document[]): Buffer {
  const header = documents.map(({ kind, bytes }) => ({ kind, length: bytes.length }));
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), ...documents.map(({ bytes }) => bytes)]);
}

/** The reverse. Each document has memory of its own: parsers take the whole of what they are given. */
export function unpackDocuments(packed: Buffer): Document[] {
  const end = packed.indexOf('\n');
  const header = JSON.parse(packed.toString('utf8', 0, end)) as { kind: DocumentKind; length: number }[];
  let start = end + 1;
  return header.map(({ kind, length }) => {
    const bytes = Uint8Array.prototype.slice.call(packed, start, start + length);
    start += length;
    return { kind, bytes };
  });
}
