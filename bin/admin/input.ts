import { createReadStream } from 'node:fs';
import { Refusal } from './failures.ts';
import { invalid } from './values.ts';

const MB = 1024 * 1024;
const MAX_FILE_MB = 100;

/** The most bytes of an input, and the sentence that refuses a longer one. */
export type InputLimit = { bytes: number; refusal: string };

/** @returns the limit of an input. @param hint what a person may do instead */
export const atMost = (megabytes: number, source: string, hint = ''): InputLimit => ({
  bytes: megabytes * MB,
  refusal: `${source} is larger than ${megabytes} MB${hint}.`,
});

/** Reads a stream, and no more of it than the limit allows. @throws Refusal invalid_value if it is longer. */
export async function contentOf(
  stream: AsyncIterable<Buffer | string>,
  { bytes, refusal }: InputLimit,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const part = Buffer.from(chunk);
    size += part.length;
    if (size > bytes) throw invalid(refusal);
    chunks.push(part);
  }
  return Buffer.concat(chunks);
}

/** @throws Refusal invalid_value if the file cannot be read, or is longer than the limit. */
export async function fileContent(
  flag: string,
  path: string,
  limit = atMost(MAX_FILE_MB, `${flag} ${path}`),
): Promise<Buffer> {
  try {
    return await contentOf(createReadStream(path), limit);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw invalid(`${flag} ${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}
