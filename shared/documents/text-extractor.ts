import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { MAX_TEXT_CHARACTERS } from '../domain/organizations/assistants/knowledge-file.ts';
import { type Document, type Extracted, packDocuments, READY } from './extraction.ts';

export type ExtractionLimits = {
  /** Wall-clock limit for all documents of a request. */
  milliseconds: number;
  /** Limit of the child's resident memory, which includes buffers outside of the heap. */
  residentBytes: number;
};

export const extractionLimits: ExtractionLimits = { milliseconds: 8_000, residentBytes: 450 * 1024 * 1024 };

type Extraction = {
  /** In the order of the documents; ends at the first unreadable one. */
  results: Extracted[];
  /** Peak resident memory of the child; 0 if the system does not report it. */
  peakBytes: number;
};

export type ExtractTexts = (documents: readonly Document[]) => Promise<Extraction>;

/** Below the memory limit, so that a full heap usually ends the child before the watch stops it. */
const HEAP_MB = 256;
const POLL_MS = 10;
/** JSON escapes one character as at most six. */
const MAX_ANSWER_CHARACTERS = MAX_TEXT_CHARACTERS * 6 + 1_000;

const TOO_LONG = 'takes too long to read';
const TOO_MUCH_MEMORY = 'needs too much memory to be read';
const BROKE = 'cannot be read';

/**
 * Reads untrusted documents in a child process, which is killed at the limits. The child has an empty environment,
 * hence no credentials, and may read only its own code; it may not start processes or load native code.
 * @param entry the child's bundled code (functions/children/extract-text.ts).
 * @returns a function that throws if the child itself cannot run, which is not a document's fault.
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
    }, POLL_MS);
    let answer = '';
    const mostCharacters = MAX_ANSWER_CHARACTERS * documents.length;
    (child.stdio[3] as Readable).setEncoding('utf8').on('data', (part: string) => {
      answer += part;
      if (answer.length > mostCharacters) stop(BROKE);
    });
    try {
      const closed = once(child, 'close');
      // A killed child does not read to the end.
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

/** Treats a malformed line as a broken child. The parser's error stays hidden because it quotes the file's text. */
function resultOf(line: string): Extracted {
  try {
    const read: unknown = JSON.parse(line);
    if (typeof read === 'object' && read !== null) {
      if ('text' in read && typeof read.text === 'string') return { text: read.text };
      if ('unreadable' in read && typeof read.unreadable === 'string') return { unreadable: read.unreadable };
    }
  } catch {
    // Malformed JSON counts like JSON of another shape.
  }
  return { unreadable: BROKE };
}

/** Passes only the library path of the runtime's Node.js, so that the child cannot leak anything else. */
function environment(): NodeJS.ProcessEnv {
  const { LD_LIBRARY_PATH } = process.env;
  return LD_LIBRARY_PATH === undefined ? {} : { LD_LIBRARY_PATH };
}

/** Reads the peak, which also covers the time between two reads. Returns 0 without /proc or without a child. */
function residentBytesOf(pid: number | undefined): number {
  try {
    const [, kilobytes = '0'] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) * 1024;
  } catch {
    return 0;
  }
}
