import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { MOST_TEXT_CHARACTERS } from '../domain/organizations/knowledge-file.ts';
import { type Document, type Extracted, packDocuments, READY } from './extraction.ts';

export type ExtractionLimits = {
  /** Of wall clock, for all documents of a request together. */
  milliseconds: number;
  /** Of the child's resident memory: its heap, and the buffers that no heap limit sees. */
  residentBytes: number;
};

export const extractionLimits: ExtractionLimits = { milliseconds: 8_000, residentBytes: 450 * 1024 * 1024 };

type Extraction = {
  /** In the order of the documents. It ends with the first that could not be read. */
  results: Extracted[];
  /** The most resident memory that the child was seen with; 0 where the system does not tell. */
  peakBytes: number;
};

export type ExtractTexts = (documents: readonly Document[]) => Promise<Extraction>;

/** Below what is resident at most, so that a heap that is full ends the child before it is stopped. */
const HEAP_MB = 256;
const MS_BETWEEN_LOOKS = 10;
/** JSON escapes a character as six at most. */
const MOST_ANSWER_CHARACTERS = MOST_TEXT_CHARACTERS * 6 + 1_000;

const TOO_LONG = 'takes too long to read';
const TOO_MUCH_MEMORY = 'needs too much memory to be read';
const BROKE = 'cannot be read';

/**
 * Reads documents of strangers in a child process, which is stopped at the limits. The child has no environment, hence no
 * credentials, and may read no file but its own code, start no process and load no native code.
 * @param entry file of the child's code (functions/children/extract-text.ts, bundled).
 * @returns a function that throws where the child cannot work at all: that is no document's fault.
 */
export function textExtractor(entry: string, limits = extractionLimits): ExtractTexts {
  return async (documents) => {
    const child = spawn(
      process.execPath,
      [`--max-old-space-size=${HEAP_MB}`, '--permission', `--allow-fs-read=${entry}`, entry],
      { stdio: ['pipe', 'ignore', 'ignore', 'pipe'], env: environment() },
    );
    let stopped: string | undefined;
    let peakBytes = 0;
    const stop = (why: string) => {
      stopped ??= why;
      child.kill('SIGKILL');
    };
    const deadline = setTimeout(stop, limits.milliseconds, TOO_LONG);
    const watch = setInterval(() => {
      peakBytes = Math.max(peakBytes, residentBytesOf(child.pid));
      if (peakBytes > limits.residentBytes) stop(TOO_MUCH_MEMORY);
    }, MS_BETWEEN_LOOKS);
    let answer = '';
    const mostCharacters = MOST_ANSWER_CHARACTERS * documents.length;
    (child.stdio[3] as Readable).setEncoding('utf8').on('data', (part: string) => {
      answer += part;
      if (answer.length > mostCharacters) stop(BROKE);
    });
    try {
      const closed = once(child, 'close');
      // A child that is stopped does not read to the end.
      (child.stdin as Writable).on('error', () => undefined).end(packDocuments(documents));
      await closed;
    } finally {
      clearTimeout(deadline);
      clearInterval(watch);
      child.kill('SIGKILL');
    }
    const [ready, ...lines] = answer.split('\n');
    if (ready !== READY && !stopped) throw new Error('the child process that reads documents did not start');
    const results = lines.slice(0, -1).map(resultOf);
    const isWhole = results.length === documents.length || results.some((result) => 'unreadable' in result);
    return { results: isWhole ? results : [...results, { unreadable: stopped ?? BROKE }], peakBytes };
  };
}

/** A line that is no result is of a child that broke. The parser's error is not told: it repeats the file's text. */
function resultOf(line: string): Extracted {
  try {
    const { text, unreadable } = JSON.parse(line) as { text?: unknown; unreadable?: unknown };
    if (typeof text === 'string') return { text };
    if (typeof unreadable === 'string') return { unreadable };
  } catch {
    // As one that is JSON of another form.
  }
  return { unreadable: BROKE };
}

/** Where the runtime's Node.js finds its libraries, if it has to be told. Nothing else, so that nothing can be betrayed. */
function environment(): NodeJS.ProcessEnv {
  const { LD_LIBRARY_PATH } = process.env;
  return LD_LIBRARY_PATH === undefined ? {} : { LD_LIBRARY_PATH };
}

/** The high-water mark, which also tells of what came and went between two looks. 0 where there is no /proc, or no child. */
function residentBytesOf(pid: number | undefined): number {
  try {
    const [, kilobytes = '0'] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) * 1024;
  } catch {
    return 0;
  }
}
