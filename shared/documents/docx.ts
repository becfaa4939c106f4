import { strToU8, zipSync } from 'fflate';
import mammoth from 'mammoth';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { MAX_TEXT_CHARACTERS } from '../domain/organizations/assistants/knowledge-file.ts';
import { beginningOf } from './docx-beginning.ts';
import { Unreadable } from './extraction.ts';

const MAX_ENTRIES = 512;
/** Maximum inflated size of one part. */
const MAX_PART_BYTES = 8 * 1024 * 1024;
/** Markup deflates to about a tenth, and to a fiftieth if it is repetitive. */
const MAX_RATIO = 200;

/** Some editors number the main document part. */
const MAIN_PART = /^word\/document\d*\.xml$/;
const PARTS = /^word\/(_rels\/)?document\d*\.xml(\.rels)?$/;
/** The part that mammoth falls back to. */
const NAME = 'word/document.xml';
const NAME_OF_LINKS = 'word/_rels/document.xml.rels';

/**
 * Reads the text of a .docx. Checks the archive's directory before inflating. Then inflates the parts with text and
 * links up to a limit and repacks them, so that mammoth never sees the original archive.
 * @throws Unreadable, and the errors of yauzl and mammoth for a corrupt file.
 */
export async function readDocx(bytes: Uint8Array): Promise<string> {
  const zip = await fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), { lazyEntries: true });
  const entries = await readDirectory(zip);
  const main = [...entries.values()].find(({ fileName }) => MAIN_PART.test(fileName));
  if (!main) throw new Unreadable('is not a Word document: it contains no word/document.xml');
  const links = entries.get(main.fileName.replace('word/', 'word/_rels/').concat('.rels'));
  const [document, relationships] = [await inflate(zip, main), links && (await inflate(zip, links))];
  const { xml, characters } = beginningOf(document.toString('utf8'), 2 * MAX_TEXT_CHARACTERS);
  if (document.length < main.uncompressedSize && characters < MAX_TEXT_CHARACTERS)
    throw new Unreadable('contains too much data that is not text');
  const archive = zipSync(
    { [NAME]: strToU8(xml), ...(relationships && { [NAME_OF_LINKS]: relationships }) },
    { level: 0 },
  );
  const { value } = await mammoth.extractRawText({ buffer: Buffer.from(archive) });
  return value.slice(0, MAX_TEXT_CHARACTERS);
}

/** Lists the entries by name, and checks the entries from which text is read. */
async function readDirectory(zip: ZipFile): Promise<Map<string, Entry>> {
  if (zip.entryCount > MAX_ENTRIES) throw new Unreadable(`contains more than ${MAX_ENTRIES} parts`);
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) {
    if (entry.isEncrypted()) throw new Unreadable('is protected by a password');
    if (PARTS.test(entry.fileName) && entry.uncompressedSize > entry.compressedSize * MAX_RATIO)
      throw new Unreadable('is compressed more than any text');
    entries.set(entry.fileName, entry);
  }
  return entries;
}

/** Returns the part, cut at the limit. @throws if its size differs from the directory's. */
async function inflate(zip: ZipFile, entry: Entry): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= MAX_PART_BYTES) break;
  }
  return Buffer.concat(chunks);
}
