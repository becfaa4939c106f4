import { cutText } from '../../text/cut-text.ts';
import { plainText } from '../../text/plain-text.ts';
import type { Requester } from '../requester.ts';
import type { Assistant, KnowledgeEntry } from './assistant.ts';

/** Bytes of all files of an upload. In base64 they fit into the 6 MB of a Lambda request. */
export const MAX_UPLOAD_BYTES = 4 * 1024 * 1024;
export const MAX_FILES = 20;
/** Entries of an assistant. An entry takes up to 2 KB, and a DynamoDB item has 400 KB at most. */
export const MAX_ENTRIES = 100;
const MAX_ASSISTANT_BYTES = 380 * 1024;

/** The refusal of files for which an assistant has no room. */
export const NO_ROOM = `The files do not fit: an assistant can have ${MAX_ENTRIES} entries, and fewer if its prompt is long. Remove entries, or shorten the prompt.`;

/** Characters of one file's text. */
export const MAX_TEXT_CHARACTERS = 50_000;
const PREVIEW_CHARACTERS = 200;
const MAX_FILENAME_CHARACTERS = 120;

export type UploadedFile = {
  /** As the client sent it. */
  filename: string;
  bytes: Uint8Array;
};

/** How a file is read. Its file extension decides, not its content type. */
export type FileFormat = 'text' | 'pdf' | 'docx';

const formats: Readonly<Record<string, FileFormat>> = { txt: 'text', md: 'text', pdf: 'pdf', docx: 'docx' };
export const FORMATS = '.txt, .md, .pdf and .docx';

export const formatOf = (filename: string): FileFormat | undefined => {
  const ending = /\.([a-z]+)$/i.exec(filename)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(formats, ending) ? formats[ending] : undefined;
};

/** Controls, bidirectional marks and unassigned characters, except the two joiners that Indian scripts need. */
const INVISIBLE = /(?![\u200c\u200d])[\p{C}\u2028\u2029]/gu;

/**
 * Cleans a file name for display: no path, no invisible characters, 120 characters at most including the extension.
 * @returns '' if no character is left
 */
export function cleanFilename(filename: string): string {
  const visible = filename.toWellFormed().replace(/%00/g, '').replace(INVISIBLE, '').normalize('NFC');
  const name = (visible.split(/[/\\]/).at(-1) ?? '').replace(/\s+/g, ' ').trim();
  if (name.length <= MAX_FILENAME_CHARACTERS) return name;
  const [ending = ''] = /\.[a-z]{1,8}$/i.exec(name) ?? [];
  return `${cutText(name, MAX_FILENAME_CHARACTERS - ending.length - 1)}…${ending}`;
}

/** A PDF's header is within its first 1,024 bytes (PDF Reference 1.7, appendix H, "Implementation Notes"). */
const PDF_HEADER_WITHIN = 1_024;

/** Returns whether the bytes have the signature of their format. Text files have none. */
export function hasSignature(format: Exclude<FileFormat, 'text'>, bytes: Uint8Array): boolean {
  const beginning = Buffer.from(bytes.subarray(0, PDF_HEADER_WITHIN)).toString('latin1');
  return format === 'pdf' ? beginning.includes('%PDF-') : beginning.startsWith('PK\x03\x04');
}

/** Decodes UTF-8, or UTF-16 with a byte order mark. @returns undefined for other content. */
export function decodeText(bytes: Uint8Array): string | undefined {
  const mark = `${bytes[0]},${bytes[1]}`;
  const encoding = mark === '255,254' ? 'utf-16le' : mark === '254,255' ? 'utf-16be' : 'utf-8';
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Returns the stored text of a file: 50,000 characters at most, without control characters; '' if it has no text. */
export const knowledgeText = (text: string): string => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this removes them
  const readable = text.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f\uFFFE\uFFFF]/g, '').trim();
  return plainText(cutText(readable, MAX_TEXT_CHARACTERS), MAX_TEXT_CHARACTERS);
};

export const knowledgeEntry = (
  { id, filename, path, text }: { id: string; filename: string; path: string; text: string },
  uploaded_by: Requester,
  now: Date,
): KnowledgeEntry => ({
  id,
  filename,
  path,
  textPreview: cutText(text.slice(0, 2 * PREVIEW_CHARACTERS).replace(/\s+/g, ' '), PREVIEW_CHARACTERS),
  uploadedAt: now.toISOString(),
  uploaded_by,
});

/** Returns an entry as the REST API shows it (docs/rest-api.md, "POST /v1/assistants/{id}/knowledge-base"). */
export const restEntry = ({ id, filename, path, textPreview, uploadedAt }: KnowledgeEntry) => ({
  id,
  filename,
  path,
  textPreview,
  uploadedAt,
});

/** Returns the bucket's key of an entry's text. It contains only ids of the service. */
export const knowledgePath = ({ org_id, assistant_id }: Assistant, entryId: string): string =>
  `knowledge/${org_id}/${assistant_id}/${entryId}.txt`;

/** Returns whether a text can be the id of an entry, and therefore part of a path. */
export const isKnowledgeId = (text: string): boolean => /^kb_[0-9a-f]{24}$/.test(text);

export const hasRoom = (assistant: Assistant, further: number): boolean =>
  assistant.knowledge_base.length + further <= MAX_ENTRIES;

export const fitsOneItem = (assistant: Assistant, entries: readonly KnowledgeEntry[]): boolean =>
  Buffer.byteLength(JSON.stringify([assistant, entries])) <= MAX_ASSISTANT_BYTES;
