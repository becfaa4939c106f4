/** The protocol between the service and the child process that reads documents. */

import * as z from 'zod/mini';

/** Formats that need a parser. Plain text is read without the child process. */
const documentKinds = ['pdf', 'docx'] as const;
export type DocumentKind = (typeof documentKinds)[number];

export type Document = { kind: DocumentKind; bytes: Uint8Array };

/** The text of a document, cut to the limit; or the reason, to follow the file's name in a sentence. */
export type Extracted = { text: string } | { unreadable: string };

/** Thrown by a reader if the document is at fault. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

/** Signals that the parsers are loaded: from here on, failures are the documents' fault. */
export const READY = 'ready';

const headerSchema = z.array(z.object({ kind: z.enum(documentKinds), length: z.number() }));

/** Encodes documents as one line of kinds and lengths, followed by all bytes. */
export function packDocuments(documents: readonly Document[]): Buffer {
  const header = documents.map(({ kind, bytes }) => ({ kind, length: bytes.length }));
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), ...documents.map(({ bytes }) => bytes)]);
}

/** Reverses packDocuments. Copies each document, because parsers take ownership of the whole buffer. */
export function unpackDocuments(packed: Buffer): Document[] {
  const end = packed.indexOf('\n');
  const header = headerSchema.parse(JSON.parse(packed.toString('utf8', 0, end)));
  let start = end + 1;
  return header.map(({ kind, length }) => {
    const bytes = Uint8Array.prototype.slice.call(packed, start, start + length);
    start += length;
    return { kind, bytes };
  });
}
