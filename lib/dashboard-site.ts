import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inputsHash } from './inputs-hash.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const BUILD_MILLISECONDS = 5 * 60_000;

/** All inputs of the site. */
const INPUTS = [
  'dashboard',
  'shared/messages/dashboard',
  'shared/domain',
  'lib/dashboard-site.ts',
  'package-lock.json',
  'tsconfig.json',
];

/** Paths of one build. */
export type DashboardBuild = {
  /** Exactly the served files. Only files below `assets/` have a hash in their names. */
  site: string;
  /** Vite's manifest: which script needs which others. */
  manifest: string;
  /** Source maps, for people who read a stack trace. */
  maps: string;
};

const buildAt = (folder: string): DashboardBuild => ({
  site: join(folder, 'site'),
  manifest: join(folder, 'manifest.json'),
  maps: join(folder, 'maps'),
});

/**
 * Builds the dashboard with Vite, unless the current inputs were already built.
 *
 * A build's folder is named by the hash of its inputs and appears complete, by one rename. Two processes may therefore
 * build at once, and one may deploy a build while another creates the next.
 * @param home folder of the builds @param run fills the folder of a site
 * @throws if Vite fails, with its messages
 */
export async function buildDashboard(home = join(root, 'dist', 'dashboard'), run = runVite): Promise<DashboardBuild> {
  const folder = join(home, inputsHash(INPUTS));
  if (existsSync(folder)) return buildAt(folder);
  mkdirSync(home, { recursive: true });
  const draft = mkdtempSync(`${folder}.`);
  try {
    await run(buildAt(draft).site);
    moveUnserved(draft);
    publish(draft, folder);
    removeOthers(home, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return buildAt(folder);
}

/** Builds the dashboard. @returns the folder to deploy */
export const buildDashboardSite = async (): Promise<string> => (await buildDashboard()).site;

/** Uses a separate process: NODE_ENV selects React's and Vite's kind of build, and tests set it differently. */
async function runVite(outDir: string): Promise<void> {
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const options = ['--outDir', outDir, '--emptyOutDir', '--logLevel', 'warn', '--configLoader', 'native'];
  await promisify(execFile)(process.execPath, [vite, 'build', join(root, 'dashboard'), ...options], {
    cwd: root,
    env: { PATH: process.env.PATH, NODE_ENV: 'production' },
    timeout: BUILD_MILLISECONDS,
  });
}

/** Moves files that are not for browsers out of the served folder. */
function moveUnserved(draft: string): void {
  const { site, manifest, maps } = buildAt(draft);
  renameSync(join(site, 'manifest.json'), manifest);
  mkdirSync(maps);
  for (const name of readdirSync(join(site, 'assets')))
    if (name.endsWith('.map')) renameSync(join(site, 'assets', name), join(maps, name));
}

function publish(draft: string, folder: string): void {
  try {
    renameSync(draft, folder);
  } catch (error) {
    // Another process was faster, with the same inputs.
    if (!existsSync(folder)) throw error;
  }
}

/**
 * Older builds stay for a while, because a deployment may still read them; so do drafts, which another process may be
 * writing.
 */
const KEPT_BUILDS = 3;
const DRAFT_MILLISECONDS = 60 * 60_000;

function removeOthers(home: string, folder: string): void {
  const found = readdirSync(home)
    .map((name) => ({
      name,
      path: join(home, name),
      at: statSync(join(home, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
    }))
    .filter(({ path }) => path !== folder)
    .sort((one, other) => other.at - one.at);
  const builds = found.filter(({ name }) => /^[0-9a-f]{16}$/.test(name)).slice(KEPT_BUILDS - 1);
  const drafts = found.filter(({ name, at }) => name.includes('.') && at < Date.now() - DRAFT_MILLISECONDS);
  for (const { path } of [...builds, ...drafts]) rmSync(path, { recursive: true, force: true });
}
