import { strToU8, zipSync } from 'fflate';
import mammoth from 'mammoth';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { MOST_TEXT_CHARACTERS } from '../domain/organizations/knowledge-file.ts';
import { beginningOf } from './docx-beginning.ts';
import { Unreadable } from './extraction.ts';

const MOST_ENTRIES = 512;
/** Of one part, inflated. */
const MOST_PART_BYTES = 8 * 1024 * 1024;
/** Text in markup deflates to a tenth, and to a fiftieth where it repeats itself. */
const MOST_RATIO = 200;

/** Some editors number the main part. */
const MAIN_PART = /^word\/document\d*\.xml$/;
const PARTS = /^word\/(_rels\/)?document\d*\.xml(\.rels)?$/;
/** What mammoth looks for where an archive does not say otherwise. */
const NAME = 'word/document.xml';
const NAME_OF_LINKS = 'word/_rels/document.xml.rels';

/**
 * The text of a .docx. The archive's directory is checked before anything is inflated; the parts that hold the text and its
 * links are inflated up to a limit and put into a new archive, so that mammoth never sees the stranger's.
 * @throws Unreadable, and what yauzl and mammoth throw of a broken file.
 */
export async function readDocx(bytes: Uint8Array): Promise<string> {
  const zip = await fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), { lazyEntries: true });
  const entries = await readDirectory(zip);
  const main = [...entries.values()].find(({ fileName }) => MAIN_PART.test(fileName));
  if (!main) throw new Unreadable('is not a Word document: it holds no word/document.xml');
  const links = entries.get(main.fileName.replace('word/', 'word/_rels/').concat('.rels'));
  const [document, relationships] = [await inflate(zip, main), links && (await inflate(zip, links))];
  const { xml, characters } = beginningOf(document.toString('utf8'), 2 * MOST_TEXT_CHARACTERS);
  if (document.length < main.uncompressedSize && characters < MOST_TEXT_CHARACTERS)
    throw new Unreadable('holds too much that is not text');
  const archive = zipSync(
    { [NAME]: strToU8(xml), ...(relationships && { [NAME_OF_LINKS]: relationships }) },
    { level: 0 },
  );
  const { value } = await mammoth.extractRawText({ buffer: Buffer.from(archive) });
  return value.slice(0, MOST_TEXT_CHARACTERS);
}

/** The entries by name; those that text is read from are checked. */
async function readDirectory(zip: ZipFile): Promise<Map<string, Entry>> {
  if (zip.entryCount > MOST_ENTRIES) throw new Unreadable(`holds more than ${MOST_ENTRIES} parts`);
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) {
    if (entry.isEncrypted()) throw new Unreadable('is protected by a password');
    if (PARTS.test(entry.fileName) && entry.uncompressedSize > entry.compressedSize * MOST_RATIO)
      throw new Unreadable('is packed more tightly than any text');
    entries.set(entry.fileName, entry);
  }
  return entries;
}

/** @returns the part, or its beginning where it is longer than the limit. @throws where it is not as long as it says. */
async function inflate(zip: ZipFile, entry: Entry): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= MOST_PART_BYTES) break;
  }
  return Buffer.concat(chunks);
}
