/**
 * node local/install.mjs <entry.ts> [arguments]: installs the project's packages when they are missing or out of date, then runs
 * the entry with the project's own Node.js. Plain JavaScript without dependencies, because it runs before there are any.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const OLDEST_NODE = 20;
const root = fileURLToPath(new URL('..', import.meta.url));
const modules = join(root, 'node_modules');
const ownNode = join(modules, '.bin', 'node');
const hashFile = join(modules, '.package-lock-hash');

/** Ends the program with one sentence for the user. */
function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}

/** Runs `npm ci` unless what is installed is what package-lock.json says. */
function installPackages() {
  const lock = join(root, 'package-lock.json');
  const wanted = createHash('sha256').update(readFileSync(lock)).digest('hex');
  const installed = existsSync(hashFile) ? readFileSync(hashFile, 'utf8').trim() : '';
  if (existsSync(ownNode)) {
    if (installed === wanted) return;
    // After an `npm install` by hand the packages are right, too: npm writes its own list of them after package-lock.json.
    const list = statSync(join(modules, '.package-lock.json'), { throwIfNoEntry: false });
    if (list && list.mtimeMs >= statSync(lock).mtimeMs) {
      writeFileSync(hashFile, `${wanted}\n`);
      return;
    }
  }

  console.error('Installing the packages of package-lock.json with npm ci (once, about half a minute) ...');
  // Under `npm start` the npm that is running is the one to use; it need not be on PATH.
  const npm = process.env.npm_execpath;
  const [command, first] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []];
  const { status, error } = spawnSync(command, [...first, 'ci'], { cwd: root, stdio: ['ignore', 2, 2] });
  if (error) fail('npm was not found: install Node.js 20 or newer together with npm, then start again.');
  if (status !== 0 || !existsSync(ownNode)) {
    fail(
      'The packages could not be installed: mend what npm says above (is the npm registry reachable?), then start again.',
    );
  }
  writeFileSync(hashFile, `${wanted}\n`);
}

/** Runs the entry, hands the first of each signal on to it and ends with its exit code. */
function run(args) {
  const path = [join(modules, '.bin'), process.env.PATH].filter(Boolean).join(delimiter);
  const child = spawn(ownNode, args, { stdio: 'inherit', env: { ...process.env, PATH: path } });
  for (const signal of ['SIGINT', 'SIGTERM']) {
    let forwarded = false;
    process.on(signal, () => {
      if (!forwarded) child.kill(signal);
      forwarded = true;
    });
  }
  child.on('error', (error) =>
    fail(`${ownNode} does not run (${error.message}): remove node_modules, then start again.`),
  );
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

const args = process.argv.slice(2);
if (Number(process.versions.node.split('.')[0]) < OLDEST_NODE) {
  fail(`Node.js ${OLDEST_NODE} or newer is needed (this is ${process.versions.node}): install it, then start again.`);
}
if (args.length === 0) fail('Usage: node local/install.mjs <entry.ts> [arguments]');
installPackages();
run(args);
