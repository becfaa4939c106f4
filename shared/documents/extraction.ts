/** The protocol between the service and the child process that reads documents. */

/** Formats that need a parser. Plain text is read without the child process. */
export type DocumentKind = 'pdf' | 'docx';

export type Document = { kind: DocumentKind; bytes: Uint8Array };

/** The text of a document, cut to the limit; or the reason, to follow the file's name in a sentence. */
export type Extracted = { text: string } | { unreadable: string };

/** Thrown by a reader if the document is at fault. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

/** Signals that the parsers are loaded: from here on, failures are the documents' fault. */
export const READY = 'ready';

type Described = { kind: DocumentKind; length: number };

function readDescribed(one: unknown): Described {
  const { kind, length } = Object(one);
  if ((kind !== 'pdf' && kind !== 'docx') || typeof length !== 'number') throw new Error('not packed documents');
  return { kind, length };
}

/** Encodes documents as one line of kinds and lengths, followed by all bytes. */
export function packDocuments(documents: readonly Document[]): Buffer {
  const header = documents.map(({ kind, bytes }) => ({ kind, length: bytes.length }));
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), ...documents.map(({ bytes }) => bytes)]);
}

/** Reverses packDocuments. Copies each document, because parsers take ownership of the whole buffer. */
export function unpackDocuments(packed: Buffer): Document[] {
  const end = packed.indexOf('\n');
  const header: unknown[] = JSON.parse(packed.toString('utf8', 0, end));
  let start = end + 1;
  return header.map(readDescribed).map(({ kind, length }) => {
    const bytes = Uint8Array.prototype.slice.call(packed, start, start + length);
    start += length;
    return { kind, bytes };
  });
}
