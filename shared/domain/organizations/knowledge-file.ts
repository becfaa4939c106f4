import { plainText } from '../text/plain-text.ts';
import type { Assistant, KnowledgeEntry } from './assistant.ts';

/** Bytes of all files of an upload together. In base64 they and their frame fit into what Lambda takes: 6 MB. */
export const MOST_FILE_BYTES = 4 * 1024 * 1024;
export const MOST_FILES = 20;
/** Of an assistant: an entry takes up to 2 KB, and an item of DynamoDB may have 400. */
export const MOST_ENTRIES = 100;
const MOST_ASSISTANT_BYTES = 380 * 1024;

/** Of the text of one file (interface, "Limits"). */
export const MOST_TEXT_CHARACTERS = 50_000;
const PREVIEW_CHARACTERS = 200;
const MOST_FILENAME_CHARACTERS = 120;

export type UploadedFile = {
  /** As the client sent it. */
  filename: string;
  bytes: Uint8Array;
};

/** What a file is read as: by the ending of its name, whatever content type it was sent with. */
export type FileFormat = 'text' | 'pdf' | 'docx';

const formats: Readonly<Record<string, FileFormat>> = { txt: 'text', md: 'text', pdf: 'pdf', docx: 'docx' };
export const FORMATS = '.txt, .md, .pdf and .docx';

/** @param filename cleaned. */
export const formatOf = (filename: string): FileFormat | undefined => {
  const ending = /\.([a-z]+)$/i.exec(filename)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(formats, ending) ? formats[ending] : undefined;
};

/** Controls, marks that turn the direction of writing, and what no font has; the two joiners that Indian scripts need stay. */
const UNSEEN = /(?![\u200c\u200d])[\p{C}\u2028\u2029]/gu;

/**
 * A name to show, and only to show: no path, nothing that cannot be seen, 120 characters at most with its ending kept.
 * @returns '' where nothing is left.
 */
export function cleanFilename(filename: string): string {
  const seen = filename.toWellFormed().replace(/%00/g, '').replace(UNSEEN, '').normalize('NFC');
  const name = (seen.split(/[/\\]/).at(-1) ?? '').replace(/\s+/g, ' ').trim();
  if (name.length <= MOST_FILENAME_CHARACTERS) return name;
  const [ending = ''] = /\.[a-z]{1,8}$/i.exec(name) ?? [];
  return `${cut(name, MOST_FILENAME_CHARACTERS - ending.length - 1)}…${ending}`;
}

/** Never through the middle of a character that takes two. */
const cut = (text: string, most: number): string => text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '');

/** Where the marks of a PDF may begin (ISO 32000-2, annex on conformance of readers: within the first 1,024 bytes). */
const PDF_MARK_WITHIN = 1_024;

/** Whether the bytes begin as their format does. A text has no such mark. */
export function hasSignature(format: Exclude<FileFormat, 'text'>, bytes: Uint8Array): boolean {
  const beginning = Buffer.from(bytes.subarray(0, PDF_MARK_WITHIN)).toString('latin1');
  return format === 'pdf' ? beginning.includes('%PDF-') : beginning.startsWith('PK\x03\x04');
}

/** Reads UTF-8, or UTF-16 that says so by its byte order mark. @returns undefined for anything else, such as a program. */
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

/** @returns what is kept of a file's text: 50,000 characters at most, without controls; '' where there is none. */
export const knowledgeText = (text: string): string => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken away
  const readable = text.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f\uFFFE\uFFFF]/g, '').trim();
  return plainText(cut(readable, MOST_TEXT_CHARACTERS), MOST_TEXT_CHARACTERS);
};

/** @param entry.text kept already under the path of the entry. */
export const knowledgeEntry = (
  { id, filename, path, text }: { id: string; filename: string; path: string; text: string },
  now: Date,
): KnowledgeEntry => ({
  id,
  filename,
  path,
  textPreview: cut(text.slice(0, 2 * PREVIEW_CHARACTERS).replace(/\s+/g, ' '), PREVIEW_CHARACTERS),
  uploadedAt: now.toISOString(),
});

/** Where the text of an entry is kept. Made of our own ids alone. */
export const knowledgePath = ({ org_id, assistant_id }: Assistant, entryId: string): string =>
  `knowledge/${org_id}/${assistant_id}/${entryId}.txt`;

/** Whether so many further entries fit, with the rest of what the assistant is. */
export const hasRoom = (assistant: Assistant, further: number): boolean =>
  assistant.knowledge_base.length + further <= MOST_ENTRIES;

export const fitsOneItem = (assistant: Assistant, entries: readonly KnowledgeEntry[]): boolean =>
  Buffer.byteLength(JSON.stringify([assistant, entries])) <= MOST_ASSISTANT_BYTES;
