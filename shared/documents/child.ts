import { Socket } from 'node:net';
import { type DocumentKind, type Extracted, READY, Unreadable, unpackDocuments } from './extraction.ts';

const ANSWERS = 3;

/** Reads a document's text, cut to the limit. @throws Unreadable, and the parsers' errors for a corrupt file. */
type ReadText = (bytes: Uint8Array) => Promise<string>;

/** Loaded on demand, because loading takes longer than reading most documents. */
const readers: Record<DocumentKind, () => Promise<ReadText>> = {
  docx: async () => (await import('./docx.ts')).readDocx,
  pdf: async () => (await import('./pdf.ts')).readPdf,
};

const formats: Record<DocumentKind, string> = {
  docx: 'is not a .docx that can be read',
  pdf: 'is not a PDF that can be read',
};

/**
 * Runs the child process: reads documents from standard input and writes one line of JSON for each to file descriptor
 * 3, which parsers' warnings cannot corrupt. Stops at the first unreadable document.
 */
export async function answerDocuments(): Promise<void> {
  const documents = unpackDocuments(Buffer.concat(await process.stdin.toArray()));
  const kinds = [...new Set(documents.map(({ kind }) => kind))];
  const loaded = new Map(await Promise.all(kinds.map(async (kind) => [kind, await readers[kind]()] as const)));
  const answers = new Socket({ fd: ANSWERS });
  answers.write(`${READY}\n`);
  for (const { kind, bytes } of documents) {
    const result = await extract(loaded.get(kind) as ReadText, bytes, formats[kind]);
    answers.write(`${JSON.stringify(result)}\n`);
    if ('unreadable' in result) break;
  }
  answers.end();
}

async function extract(read: ReadText, bytes: Uint8Array, fault: string): Promise<Extracted> {
  try {
    return { text: await read(bytes) };
  } catch (error) {
    // Deep nesting overflows a parser's stack with a RangeError, which is the document's fault.
    return { unreadable: error instanceof Unreadable ? error.message : fault };
  }
}
