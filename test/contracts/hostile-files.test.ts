import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { copyFileSync, linkSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleFolder, bundleFunctions } from '../../lib/bundle.ts';
import { extractionLimits, textExtractor } from '../../shared/documents/text-extractor.ts';
import { readFiles } from '../../shared/operations/organizations/steps/read-files.ts';
import { bigDocx, bigPdf, picturesDocx, sparsePdf } from '../support/documents/honest.ts';
import { hostileFiles } from '../support/documents/hostile.ts';
import { pdf, shows } from '../support/documents/pdf.ts';
import { atOnce } from '../support/runner/at-once.ts';

/** Long limits for answers that do not depend on the machine's speed. */
const PATIENT = { ...extractionLimits, milliseconds: 200_000 };
/** Short limits for tests of the time-out itself. */
const HASTY = { ...extractionLimits, milliseconds: 2_000 };

/** Each test mostly waits for a child to start, to work or to be stopped. */
const together = atOnce(5);

const folder = mkdtempSync(join(tmpdir(), 'extract-text-'));
/** The child as deployed, without the packages that are installed beside the sources. */
const deployed = join(folder, 'deployed.mjs');

beforeAll(async () => {
  await bundleFunctions();
  copyFileSync(join(bundleFolder('upload-knowledge'), 'extract-text.mjs'), deployed);
});
afterAll(() => rmSync(folder, { recursive: true }));

let entries = 0;
const newPath = () => {
  entries += 1;
  return join(folder, `${entries}.mjs`);
};

/** Returns the deployed child under a unique name. */
function deployedChild(): string {
  const path = newPath();
  linkSync(deployed, path);
  return path;
}

/** Creates a child program with this code. */
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
  it('include at least 56 examples', () => {
    expect(hostileFiles.length).toBeGreaterThanOrEqual(56);
  });

  for (const { what, filename, bytes, ends } of hostileFiles)
    it(
      `${what}: is refused clearly or read, and leaves no process running`,
      together(async () => {
        const entry = deployedChild();
        const extract = textExtractor(entry, ends === 'either' ? HASTY : PATIENT);
        const read = await readFiles(extract, [{ filename, bytes: bytes() }]);
        expect(processesOf(entry)).toEqual([]);
        const message = read.ok ? undefined : read.refusal.message;
        const text = read.ok ? read.files[0]?.text : undefined;
        if (ends === 'either') expect(message ?? text).toMatch(/./);
        else if ('refused' in ends) expect(message).toMatch(ends.refused);
        else expect(text).toMatch(ends.text);
        // Data from the machine's files must not enter a knowledge base.
        expect(text ?? '').not.toContain('root:');
        expect(read.usage?.peakBytes ?? 0).toBeLessThan(512 * 1024 * 1024);
      }),
    );
});

describe('honest files', () => {
  for (const [name, filename, bytes, characters] of [
    ['3 MB of text in a .docx', 'a.docx', bigDocx, 50_000],
    ['3 MB of pictures in a .docx', 'a.docx', picturesDocx, 50_000],
    ['200 full pages', 'a.pdf', bigPdf, 50_000],
    ['200 pages with a line each', 'a.pdf', sparsePdf, 14_000],
  ] as const)
    it(
      `${name} are read`,
      together(async () => {
        const read = await readFiles(textExtractor(deployedChild(), PATIENT), [{ filename, bytes: bytes() }]);
        expect(read.ok ? undefined : read.refusal).toBeUndefined();
        expect(read.ok && read.files[0]?.text.length).toBeGreaterThan(characters - 100);
      }),
    );

  it(
    'are read up to the 200th page',
    together(async () => {
      const pages = Array.from({ length: 205 }, (_, index) => shows(`Page ${index + 1}.`));
      const read = await readFiles(textExtractor(deployedChild(), PATIENT), [
        { filename: 'a.pdf', bytes: pdf({ pages }) },
      ]);
      expect(read.ok && read.files[0]?.text).toMatch(/^Page 1\.[\s\S]*Page 200\.$/);
    }),
  );

  it(
    'are read in order, many at once, up to the first unreadable one',
    together(async () => {
      const aPdf = (text: string) => ({ kind: 'pdf', bytes: pdf({ pages: [shows(text)] }) }) as const;
      const extract = textExtractor(deployedChild(), PATIENT);
      const { results } = await extract([aPdf('One.'), { kind: 'docx', bytes: Buffer.from('PK') }, aPdf('Three.')]);
      expect(results).toEqual([
        { text: expect.stringContaining('One.') },
        { unreadable: expect.stringContaining('not a .docx') },
      ]);
    }),
  );
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

  it('reaches no network, whatever code a document runs in it', async () => {
    const heard: string[] = [];
    const server = createServer((socket) => {
      heard.push('tcp');
      socket.destroy();
    });
    const listener = createSocket('udp4', () => heard.push('udp'));
    listener.bind(0, '127.0.0.1');
    server.listen(0, '127.0.0.1');
    await Promise.all([once(server, 'listening'), once(listener, 'listening')]);
    const at = JSON.stringify((server.address() as AddressInfo).port);
    const udpAt = JSON.stringify(listener.address().port);
    // Code that a document would run: the deployed child, then all exits that Node.js offers.
    const tries = newPath();
    writeFileSync(
      tries,
      `${readFileSync(deployed, 'utf8').replace(/await [\w$]+\(\);\s*\/\/# sourceURL=.*\s*$/, '')}
      const { Socket: Answers } = await import('node:net');
      const answers = new Answers({ fd: 3 });
      answers.write('ready\\n');
      const [net, tls, http, http2, dgram, dns] = await Promise.all(
        ['net', 'tls', 'http', 'http2', 'dgram', 'dns'].map((name) => import('node:' + name)),
      );
      const told = (emitter) => new Promise((done) => {
        for (const good of ['connect', 'listening', 'response']) emitter.on(good, () => done('REACHED'));
        emitter.on('error', (error) => done(error.code));
      });
      const sent = () => new Promise((done) => {
        const socket = dgram.createSocket('udp4');
        socket.on('error', (error) => done(error.code));
        socket.send('x', ${udpAt}, '127.0.0.1', (error) => done(error ? error.code : 'REACHED'));
      });
      const handles = () => {
        const socket = new net.Socket();
        socket.connect({ host: '127.0.0.1', port: ${at} });
        const { constructor: Tcp } = socket._handle;
        socket.on('error', () => undefined);
        return new Tcp(0).connect({}, '127.0.0.1', ${at}) === 0 ? 'REACHED' : 'EACCES';
      };
      process.on('uncaughtException', () => undefined);
      const codeOf = (error) => error.code ?? error.cause?.code ?? error.message;
      const ways = {
        net: () => told(net.connect(${at}, '127.0.0.1')),
        name: () => told(net.connect(${at}, 'localhost')),
        tls: () => told(tls.connect(${at}, '127.0.0.1')),
        http: () => told(http.get('http://127.0.0.1:${at}/')),
        http2: () => told(http2.connect('http://127.0.0.1:${at}/')),
        fetch: () => fetch('http://127.0.0.1:${at}/').then(() => 'REACHED'),
        udp: sent,
        listen: () => told(net.createServer().listen(0, '127.0.0.1')),
        unix: () => told(net.connect('/run/any.sock')),
        lookup: () => dns.promises.lookup('localhost').then(() => 'REACHED'),
        resolve: () => dns.promises.resolve4('localhost').then(() => 'REACHED'),
        handles,
        binding: () => process.binding('tcp_wrap') && 'REACHED',
        inspector: () => import('node:inspector').then(({ open }) => open(0)).then(() => 'REACHED'),
      };
      const text = {};
      for (const [name, way] of Object.entries(ways))
        text[name] = await Promise.resolve().then(way).catch(codeOf);
      answers.end(JSON.stringify({ text: JSON.stringify(text) }) + '\\n', () => process.exit());
      `,
    );
    const { results } = await textExtractor(
      tries,
      PATIENT,
    )([document]).finally(() => {
      server.close();
      listener.close();
    });
    const [result] = results;
    const told: Record<string, string> = result && 'text' in result ? JSON.parse(result.text) : result;
    expect(Object.keys(told)).toHaveLength(14);
    for (const [way, what] of Object.entries(told))
      expect([way, what]).toEqual([way, expect.stringMatching(/^(EACCES|ERR_ACCESS_DENIED)$/)]);
    expect(heard).toEqual([]);
  });

  const misbehaving: [name: string, code: string, limits: Partial<typeof extractionLimits>, why: unknown][] = [
    ['computes forever', 'for (;;) {}', { milliseconds: 1_500 }, 'takes too long to read'],
    ['waits forever', 'setInterval(() => {}, 1_000);', { milliseconds: 1_500 }, 'takes too long to read'],
    [
      'takes memory outside the heap',
      'const all = []; setInterval(() => all.push(Buffer.alloc(2 ** 24, 1)), 5);',
      { residentBytes: 200 * 1024 * 1024 },
      'needs too much memory to be read',
    ],
    [
      'fills its heap',
      "const all = []; for (;;) all.push({ a: 'b' });",
      {},
      // The promise is the refusal. Load decides whether the heap's limit or the memory watch ends the child first.
      expect.stringMatching(/^(cannot be read|needs too much memory to be read)$/),
    ],
    ['exits without an answer', 'process.exit(0);', {}, 'cannot be read'],
    ['crashes', 'process.abort();', {}, 'cannot be read'],
    ['answers without end', "setInterval(() => answers.write('x'.repeat(100_000)), 1);", {}, 'cannot be read'],
  ];
  for (const [name, code, limits, why] of misbehaving)
    it(
      `that ${name} is stopped, and the document is refused`,
      together(async () => {
        const entry = childOf(`${READY}\nprocess.stdin.resume();\nsetTimeout(() => { ${code} }, 100);`);
        const { results } = await textExtractor(entry, { ...PATIENT, ...limits })([document]);
        // A child that is stopped before it is ready gives the same refusal.
        expect(results).toEqual([{ unreadable: why }]);
        expect(processesOf(entry)).toEqual([]);
      }),
    );

  it('that cannot start causes an error, not a refusal of the document', async () => {
    await expect(
      textExtractor(childOf("throw new Error('a package is missing');"), PATIENT)([document]),
    ).rejects.toThrow('did not start');
    await expect(textExtractor(join(folder, 'nowhere.mjs'), PATIENT)([document])).rejects.toThrow('did not start');
  });

  it.each([
    ['is not JSON', '{"text":"my PIN is 4711'],
    ['is JSON of another form', '"my PIN is 4711"'],
  ])('that answers with text that %s fails, and the answer is not shown', async (_name, line) => {
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
