import { copyFileSync, linkSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleFolder, bundleFunctions } from '../../lib/bundle.ts';
import { extractionLimits, textExtractor } from '../../shared/documents/text-extractor.ts';
import { readFiles } from '../../shared/operations/organizations/steps/read-files.ts';
import { bigDocx, bigPdf, picturesDocx, sparsePdf } from '../support/documents/honest.ts';
import { hostileFiles } from '../support/documents/hostile.ts';
import { pdf, shows } from '../support/documents/pdf.ts';

/** Long limits for answers that do not depend on the machine's speed. */
const PATIENT = { ...extractionLimits, milliseconds: 200_000 };
/** Short limits for tests of the time-out itself. */
const HASTY = { ...extractionLimits, milliseconds: 2_000 };

// Concurrent tests do not wait for hooks.
await bundleFunctions();
const folder = mkdtempSync(join(tmpdir(), 'extract-text-'));
/** The child as deployed, without the packages that are installed beside the sources. */
const deployed = join(folder, 'deployed.mjs');
copyFileSync(join(bundleFolder('upload-knowledge'), 'extract-text.mjs'), deployed);

afterAll(() => rmSync(folder, { recursive: true }));

let entries = 0;
const newPath = () => {
  entries += 1;
  return join(folder, `${entries}.mjs`);
};

/** Returns the deployed child under a name of its own. */
function deployedChild(): string {
  const path = newPath();
  linkSync(deployed, path);
  return path;
}

/** Makes a child with other code. */
function childOf(code: string): string {
  const path = newPath();
  writeFileSync(path, `import { Socket } from 'node:net';\n${code}`);
  return path;
}

/** Lists the processes that run this child; empty on a system without /proc. */
function processesOf(entry: string): string[] {
  const isRunning = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(entry);
    } catch {
      return false;
    }
  };
  try {
    return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && isRunning(pid));
  } catch {
    return [];
  }
}

const READY = "const answers = new Socket({ fd: 3 }); answers.write('ready\\n');";
const document = { kind: 'pdf', bytes: Buffer.from('x') } as const;

describe('hostile files', () => {
  it('include more than 25 examples', () => {
    expect(hostileFiles.length).toBeGreaterThan(25);
  });

  it.concurrent.each([...hostileFiles])(
    '$what: is refused clearly or read, and leaves no process running',
    async ({ filename, bytes, ends }) => {
      const entry = deployedChild();
      const extract = textExtractor(entry, ends === 'either' ? HASTY : PATIENT);
      const read = await readFiles(extract, [{ filename, bytes: bytes() }]);
      expect(processesOf(entry)).toEqual([]);
      const message = read.ok ? undefined : read.refusal.message;
      const text = read.ok ? read.files[0]?.text : undefined;
      if (ends === 'either') expect(message ?? text).toMatch(/./);
      else if ('refused' in ends) expect(message).toMatch(ends.refused);
      else expect(text).toMatch(ends.text);
      // Nothing from the machine's files may enter a knowledge base.
      expect(text ?? '').not.toContain('root:');
      expect(read.usage?.peakBytes ?? 0).toBeLessThan(512 * 1024 * 1024);
    },
  );
});

describe('honest files', () => {
  it.concurrent.each([
    ['3 MB of text in a .docx', 'a.docx', bigDocx, 50_000],
    ['3 MB of pictures in a .docx', 'a.docx', picturesDocx, 50_000],
    ['200 full pages', 'a.pdf', bigPdf, 50_000],
    ['200 pages with a line each', 'a.pdf', sparsePdf, 14_000],
  ] as const)('%s are read', async (_name, filename, bytes, characters) => {
    const read = await readFiles(textExtractor(deployedChild(), PATIENT), [{ filename, bytes: bytes() }]);
    expect(read.ok ? undefined : read.refusal).toBeUndefined();
    expect(read.ok && read.files[0]?.text.length).toBeGreaterThan(characters - 100);
  });

  it.concurrent('are read up to the 200th page', async () => {
    const pages = Array.from({ length: 205 }, (_, index) => shows(`Page ${index + 1}.`));
    const read = await readFiles(textExtractor(deployedChild(), PATIENT), [
      { filename: 'a.pdf', bytes: pdf({ pages }) },
    ]);
    expect(read.ok && read.files[0]?.text).toMatch(/^Page 1\.[\s\S]*Page 200\.$/);
  });

  it.concurrent('are read in order, many at once, up to the first that cannot be read', async () => {
    const aPdf = (text: string) => ({ kind: 'pdf', bytes: pdf({ pages: [shows(text)] }) }) as const;
    const extract = textExtractor(deployedChild(), PATIENT);
    const { results } = await extract([aPdf('One.'), { kind: 'docx', bytes: Buffer.from('PK') }, aPdf('Three.')]);
    expect(results).toEqual([
      { text: expect.stringContaining('One.') },
      { unreadable: expect.stringContaining('not a .docx') },
    ]);
  });
});

describe('the child that extracts text', () => {
  it('has no environment and may not read files or start processes or threads', async () => {
    const tries = childOf(`
      import { spawnSync } from 'node:child_process';
      import { readFileSync } from 'node:fs';
      import { Worker } from 'node:worker_threads';
      ${READY}
      const denied = (act) => { try { act(); return 'allowed'; } catch (error) { return error.code; } };
      const text = [
        Object.keys(process.env).filter((name) => name !== 'LD_LIBRARY_PATH').join(),
        denied(() => readFileSync('/proc/self/environ')),
        denied(() => spawnSync('true')),
        denied(() => new Worker('1', { eval: true })),
      ].join(' ');
      answers.end(JSON.stringify({ text }) + '\\n');
    `);
    const { results } = await textExtractor(tries, PATIENT)([document]);
    expect(results).toEqual([{ text: ' ERR_ACCESS_DENIED ERR_ACCESS_DENIED ERR_ACCESS_DENIED' }]);
  });

  it.concurrent.each<[string, string, Partial<typeof extractionLimits>, unknown]>([
    ['computes for ever', 'for (;;) {}', { milliseconds: 1_500 }, 'takes too long to read'],
    ['waits for ever', 'setInterval(() => {}, 1_000);', { milliseconds: 1_500 }, 'takes too long to read'],
    [
      'takes memory that is no heap',
      'const all = []; setInterval(() => all.push(Buffer.alloc(2 ** 24, 1)), 5);',
      { residentBytes: 200 * 1024 * 1024 },
      'needs too much memory to be read',
    ],
    [
      'fills its heap',
      "const all = []; for (;;) all.push({ a: 'b' });",
      {},
      // The promise is the refusal. Whether the heap's limit or the memory watch ends the child first depends on load.
      expect.stringMatching(/^(cannot be read|needs too much memory to be read)$/),
    ],
    ['ends without an answer', 'process.exit(0);', {}, 'cannot be read'],
    ['crashes', 'process.abort();', {}, 'cannot be read'],
    ['does not end to answer', "setInterval(() => answers.write('x'.repeat(100_000)), 1);", {}, 'cannot be read'],
  ])('that %s is stopped, and the document is refused', async (_name, code, limits, why) => {
    const entry = childOf(`${READY}\nprocess.stdin.resume();\nsetTimeout(() => { ${code} }, 100);`);
    const { results } = await textExtractor(entry, { ...PATIENT, ...limits })([document]);
    // A child that is stopped before it is ready gives the same refusal.
    expect(results).toEqual([{ unreadable: why }]);
    expect(processesOf(entry)).toEqual([]);
  });

  it('that cannot start causes an error, not a refusal of the document', async () => {
    await expect(
      textExtractor(childOf("throw new Error('a package is missing');"), PATIENT)([document]),
    ).rejects.toThrow('did not start');
    await expect(textExtractor(join(folder, 'nowhere.mjs'), PATIENT)([document])).rejects.toThrow('did not start');
  });

  it.each([
    ['is no JSON', '{"text":"my PIN is 4711'],
    ['is JSON of another form', '"my PIN is 4711"'],
  ])('with an answer that %s has failed, and the answer is not shown', async (_name, line) => {
    const broken = childOf(`${READY}\nanswers.end(${JSON.stringify(`${line}\n`)});`);
    const { results } = await textExtractor(broken, PATIENT)([document]);
    expect(results).toEqual([{ unreadable: 'cannot be read' }]);
  });

  it('may leave input unread', async () => {
    const entry = childOf(`${READY}\nanswers.end('{"unreadable":"is refused unread"}\\n');`);
    const huge = { kind: 'pdf', bytes: Buffer.alloc(8 * 1024 * 1024) } as const;
    expect((await textExtractor(entry, PATIENT)([huge])).results).toEqual([{ unreadable: 'is refused unread' }]);
  });
});
