/**
 * Runs an entry with the project's own Node.js: node local/install.mjs [<entry.ts> [arguments]]
 *
 * Installs the packages and this Node.js first if they are missing or outdated; without an entry, it does only this.
 * Plain JavaScript without dependencies, because it runs before any are installed.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasNpmPackages, installNode, isNodeMissing, linkNode, nodeBinary, nodeFolder } from './node-binary.mjs';
import { npmCi } from './npm-ci.mjs';
import {
  AWS_CLI,
  EMULATOR,
  FUZZER,
  findPython,
  folderOf,
  installEnvironment,
  NODE,
  TEMPLATE_LINTER,
} from './python-environment.mjs';

const OLDEST_NODE = 20;
const PARENT_CHECK_MS = 500;
const parent = process.ppid;
const root = fileURLToPath(new URL('..', import.meta.url));
const modules = join(root, 'node_modules');
const ofTests = [EMULATOR, TEMPLATE_LINTER, FUZZER, AWS_CLI];
/**
 * The Python packages of entries, installed while npm works. Each program installs those that are still missing. The
 * audit itself needs none, but CI runs it first, so the tests find them installed.
 */
const pythonPackagesOf = { 'bin/local.ts': [EMULATOR], 'test/run.ts': ofTests, 'scripts/audit.ts': ofTests };
const hashFile = join(modules, '.package-lock-hash');

/** Ends the program with one sentence for the user. */
function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}

/** Ends the program with the sentence of a problem, if there is one. */
function failIf(problem) {
  if (problem) fail(problem);
}

function majorOf(version) {
  return Number(version.split('.')[0]);
}

/** Returns whether the installed packages are those of package-lock.json. */
function isUpToDate(lock, hash) {
  if (existsSync(hashFile) && readFileSync(hashFile, 'utf8').trim() === hash) return true;
  // `npm install` writes its own list of the installed packages after package-lock.json.
  const list = statSync(join(modules, '.package-lock.json'), { throwIfNoEntry: false });
  return list !== undefined && list.mtimeMs >= statSync(lock).mtimeMs;
}

/** Installs the Python packages of an entry. A failure is reported by the program that needs them. */
async function installPython(entry) {
  for (const packages of pythonPackagesOf[entry] ?? []) {
    await installEnvironment(packages, { folder: folderOf(packages), env: process.env, log: () => {} });
  }
}

/** Installs the packages of package-lock.json, and the Node.js that it lacks on some platforms. */
async function installPackages(entry) {
  const lock = join(root, 'package-lock.json');
  const hash = createHash('sha256').update(readFileSync(lock)).digest('hex');
  const needsNode = await isNodeMissing();
  // Checked first, because npm takes a minute or two.
  if (needsNode) failIf((await findPython(NODE, process.env)).problem);
  const node = needsNode ? installNode() : Promise.resolve(undefined);
  if (!hasNpmPackages() || !isUpToDate(lock, hash)) await runNpmCi(entry, node);
  failIf(await node);
  await linkNode();
  writeFileSync(hashFile, `${hash}\n`);
}

/**
 * Runs `npm ci`, and installs the Python packages of the entry meanwhile.
 * @param node the installation of Node.js from PyPI: ending this program before it ends would leave half of it
 */
async function runNpmCi(entry, node) {
  console.error('Installing the packages of package-lock.json with npm ci (once, one to two minutes) ...');
  const python = node.then((problem) => problem || installPython(entry)).catch(() => undefined);
  const [status] = await Promise.all([npmCi(root).catch(() => undefined), node]);
  if (status === undefined) fail('npm was not found: install Node.js 20 or newer together with npm, then start again.');
  // npm exits with 0 even if it could not fetch an optional package such as the Node.js binary.
  if (status !== 0 || !hasNpmPackages()) {
    fail(
      'The packages could not be installed: fix what npm reports above (is the npm registry reachable?), then start again.',
    );
  }
  await python;
}

/**
 * Runs the entry, forwards the first of each signal to it and ends with its exit code. Under npm, the end of the parent
 * counts as a signal, because npm forwards signals only to its shell, which ends without forwarding them.
 */
function run(args) {
  const path = [join(modules, '.bin'), dirname(nodeBinary), process.env.PATH].filter(Boolean).join(delimiter);
  const child = spawn(nodeBinary, args, { stdio: 'inherit', env: { ...process.env, PATH: path } });
  const forwarded = new Set();
  const forward = (signal) => {
    if (!forwarded.has(signal)) child.kill(signal);
    forwarded.add(signal);
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => forward(signal));
  if (process.env.npm_lifecycle_event)
    setInterval(() => process.ppid === parent || forward('SIGTERM'), PARENT_CHECK_MS).unref();
  child.on('error', (error) =>
    fail(`${nodeBinary} does not run (${error.message}): remove ${nodeFolder}, then start again.`),
  );
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

const args = process.argv.slice(2);
if (majorOf(process.versions.node) < OLDEST_NODE) {
  fail(`Node.js ${OLDEST_NODE} or newer is needed (this is ${process.versions.node}): install it, then start again.`);
}
await installPackages(args[0]);
if (args.length > 0) run(args);
