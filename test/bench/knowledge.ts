import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateRawSync, inflateSync } from 'node:zlib';
import { bundleFolder, bundleFunctions } from '../../lib/bundle.ts';
import { textExtractor } from '../../shared/documents/text-extractor.ts';
import { readFiles } from '../../shared/operations/organizations/steps/read-files.ts';
import { bigDocx, bigPdf, picturesDocx, sparsePdf } from '../support/documents/honest.ts';
import { hostileFiles } from '../support/documents/hostile.ts';
import { quantile } from './support/quantile.ts';
import { timed } from './support/timed.ts';

/**
 * `npm run bench:knowledge`: measures time and memory of the child process that extracts text, for honest and hostile
 * files, with the deployed limits. The floor is the least possible work: a Node.js process that starts and inflates
 * every stream of the same file once.
 */
const ROUNDS = 7;

const median = (values: readonly number[]) => quantile(values, 0.5);
const megabytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(0);

/** Inflates every deflated stream: the least work of any reader. */
function inflateAll(bytes: Buffer): void {
  const marks = bytes.subarray(0, 5).toString('latin1') === '%PDF-' ? 'stream\n' : 'PK\x03\x04';
  for (let at = bytes.indexOf(marks, 0, 'latin1'); at !== -1; at = bytes.indexOf(marks, at + 1, 'latin1'))
    if (marks.startsWith('PK')) {
      const start = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
      inflateRawSync(bytes.subarray(start), { finishFlush: 2 });
    } else if (bytes.toString('latin1', at - 3, at) !== 'end') inflateSync(bytes.subarray(at + marks.length));
}

const folder = mkdtempSync(join(tmpdir(), 'bench-knowledge-'));
try {
  await bundleFunctions();
  const entry = join(folder, 'extract-text.mjs');
  copyFileSync(join(bundleFolder('upload-knowledge'), 'extract-text.mjs'), entry);
  const extract = textExtractor(entry);
  const start = textExtractor(join(folder, 'nothing.mjs'));
  const honest = [
    ['3 MB of text', 'a.docx', bigDocx()],
    ['3 MB, mostly pictures', 'a.docx', picturesDocx()],
    ['200 full pages', 'a.pdf', bigPdf()],
    ['200 pages with a line', 'a.pdf', sparsePdf()],
  ] as const;

  console.log(
    `Medians of ${ROUNDS} rounds in turns. The floor: Node.js starts, and the file's streams are inflated once.`,
  );
  const rows = honest.map(() => ({ times: [] as number[], floors: [] as number[], peaks: [] as number[] }));
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [index, [, filename, bytes]] of honest.entries()) {
      const [floor] = await timed(async () => {
        await start([{ kind: 'pdf', bytes: Buffer.alloc(0) }]).catch(() => undefined);
        inflateAll(bytes);
      });
      const [time, read] = await timed(() => readFiles(extract, [{ filename, bytes }]));
      if (!read.ok) throw new Error(read.refusal.message);
      rows[index]?.floors.push(floor);
      rows[index]?.times.push(time);
      rows[index]?.peaks.push(read.usage?.peakBytes ?? 0);
    }
  for (const [index, [name, filename, bytes]] of honest.entries()) {
    const { times = [], floors = [], peaks = [] } = rows[index] ?? {};
    console.log(
      `${`${name}, ${filename}`.padEnd(32)} ${(bytes.length / 1e6).toFixed(1).padStart(4)} MB ${median(times).toFixed(0).padStart(6)} ms ` +
        `(floor ${median(floors).toFixed(0)}, ratio ${(median(times) / median(floors)).toFixed(1)}) peak ${megabytes(Math.max(...peaks))} MB`,
    );
  }

  console.log('\nHostile files, once each:');
  let slowest = 0;
  let biggest = 0;
  for (const { what, filename, bytes } of hostileFiles) {
    const made = bytes();
    const [time, read] = await timed(() => readFiles(extract, [{ filename, bytes: made }]));
    const peak = read.usage?.peakBytes ?? 0;
    [slowest, biggest] = [Math.max(slowest, time), Math.max(biggest, peak)];
    const outcome = read.ok ? `text of ${read.files[0]?.text.length} characters` : read.refusal.message;
    console.log(
      `${what.slice(0, 58).padEnd(58)} ${time.toFixed(0).padStart(6)} ms ${megabytes(peak).padStart(4)} MB  ${outcome}`,
    );
  }
  console.log(
    `\n${hostileFiles.length} files; the slowest ${slowest.toFixed(0)} ms, the most memory ${megabytes(biggest)} MB`,
  );
} finally {
  rmSync(folder, { recursive: true });
}
