import type { Document } from '../../../documents/extraction.ts';
import type { ExtractTexts } from '../../../documents/text-extractor.ts';
import {
  cleanFilename,
  decodeText,
  type FileFormat,
  FORMATS,
  formatOf,
  hasSignature,
  knowledgeText,
  type UploadedFile,
} from '../../../domain/organizations/assistants/knowledge-file.ts';

export type ReadFile = { filename: string; text: string };

export type FileRefusal = { error: 'unsupported_file_type' | 'unreadable_file'; message: string };

/** The child process's report, for the log; absent if it did not run. */
export type Usage = { documents: number; peakBytes: number };

/**
 * Reads the text of every file. The first unreadable file refuses all of them. Names and signatures of all files are
 * checked before a file is parsed.
 * @throws the errors of `extract` that no file has caused
 */
export async function readFiles(
  extract: ExtractTexts,
  files: readonly UploadedFile[],
): Promise<({ ok: true; files: ReadFile[] } | { ok: false; refusal: FileRefusal }) & { usage?: Usage }> {
  const known = files.map(({ filename, bytes }) => {
    const name = cleanFilename(filename);
    return { filename: name, bytes, format: formatOf(name) };
  });
  for (const { filename, format } of known)
    if (!format) return refused('unsupported_file_type', filename, `is of a type that is not read; ${FORMATS} are.`);
  for (const { filename, bytes, format } of known) {
    const fault = faultOf(format as FileFormat, bytes);
    if (fault) return refused('unreadable_file', filename, fault);
  }
  const documents = known.flatMap(({ format, bytes }): Document[] =>
    format && format !== 'text' ? [{ kind: format, bytes }] : [],
  );
  const extraction = documents.length > 0 ? await extract(documents) : undefined;
  const usage = extraction && { usage: { documents: documents.length, peakBytes: extraction.peakBytes } };
  const results = [...(extraction?.results ?? [])];
  const read: ReadFile[] = [];
  for (const { filename, bytes, format } of known) {
    const result = format === 'text' ? { text: decodeText(bytes) ?? '' } : results.shift();
    if (!result || 'unreadable' in result)
      return { ...refused('unreadable_file', filename, `${result?.unreadable}.`), ...usage };
    const text = knowledgeText(result.text);
    if (text === '') return { ...refused('unreadable_file', filename, 'contains no text.'), ...usage };
    read.push({ filename, text });
  }
  return { ok: true, files: read, ...usage };
}

function faultOf(format: FileFormat, bytes: Uint8Array): string | undefined {
  if (bytes.length === 0) return 'is empty.';
  if (format === 'text')
    return decodeText(bytes) === undefined ? 'is not text in UTF-8, or in UTF-16 with a byte order mark.' : undefined;
  return hasSignature(format, bytes) ? undefined : `is not a .${format} file, whatever its name says.`;
}

const refused = (error: FileRefusal['error'], filename: string, fault: string) =>
  ({
    ok: false,
    refusal: { error, message: `${filename === '' ? 'A file without a name' : `"${filename}"`} ${fault}` },
  }) as const;
