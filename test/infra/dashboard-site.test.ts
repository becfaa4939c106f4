import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { buildDashboard, type DashboardBuild } from '../../lib/dashboard-site.ts';
import { pages as pictured } from '../browser/support/pages.ts';

type Chunk = { file: string; imports?: string[]; css?: string[]; isEntry?: boolean };

const KB = 1024;
const pages = {
  'sign-in': ['pages/sign-in/sign-in.tsx'],
  'first password': ['pages/sign-in/new-password.tsx'],
  'forgotten password': ['pages/sign-in/reset.tsx'],
  home: ['app/shell/shell.tsx', 'pages/home/home.tsx'],
  members: ['app/shell/shell.tsx', 'pages/members/members.tsx'],
  audit: ['app/shell/shell.tsx', 'pages/audit/audit.tsx'],
  calls: ['app/shell/shell.tsx', 'pages/calls/calls.tsx'],
  call: ['app/shell/shell.tsx', 'pages/call/call.tsx'],
  assistants: ['app/shell/shell.tsx', 'pages/assistants/assistants.tsx'],
  assistant: ['app/shell/shell.tsx', 'pages/assistant/assistant.tsx'],
  leads: ['app/shell/shell.tsx', 'pages/leads/leads.tsx'],
  connections: ['app/shell/shell.tsx', 'pages/connections/connections.tsx'],
  connection: ['app/shell/shell.tsx', 'pages/connection/connection.tsx'],
  credit: ['app/shell/shell.tsx', 'pages/credit/credit.tsx'],
  'do-not-call': ['app/shell/shell.tsx', 'pages/do-not-call/do-not-call.tsx'],
  keys: ['app/shell/shell.tsx', 'pages/keys/keys.tsx'],
  callbacks: ['app/shell/shell.tsx', 'pages/callbacks/callbacks.tsx'],
  organization: ['app/shell/shell.tsx', 'pages/organization/organization.tsx'],
  notifications: ['app/shell/shell.tsx', 'pages/notifications/notifications.tsx'],
  account: ['app/shell/shell.tsx', 'pages/account/account.tsx'],
};

let build: DashboardBuild;
let manifest: Record<string, Chunk>;

beforeAll(async () => {
  build = await buildDashboard();
  manifest = JSON.parse(readFileSync(build.manifest, 'utf8'));
}, 120_000);

/** Lists the files that a page needs before it works, through all static imports. */
function filesOf(sources: readonly string[]): { scripts: string[]; styles: string[] } {
  const entry = Object.keys(manifest).filter((source) => manifest[source]?.isEntry);
  const seen = new Set<string>();
  const visit = (source: string) => {
    const chunk = manifest[source];
    if (!chunk) throw new Error(`${source} is not a chunk of the build`);
    if (seen.has(source)) return;
    seen.add(source);
    for (const next of chunk.imports ?? []) visit(next);
  };
  for (const source of [...entry, ...sources]) visit(source);
  const chunks = [...seen].map((source) => manifest[source] as Chunk);
  return { scripts: chunks.map(({ file }) => file), styles: [...new Set(chunks.flatMap(({ css }) => css ?? []))] };
}

const bytesOf = (files: readonly string[]): number =>
  files.reduce((sum, file) => sum + gzipSync(readFileSync(join(build.site, file)), { level: 9 }).length, 0);

const files = () =>
  readdirSync(build.site, { recursive: true, encoding: 'utf8' }).filter((name) => extname(name) !== '');

describe('the dashboard’s site', () => {
  it('has at most 150 KB of script on the page of the sign-in', () => {
    expect(bytesOf(filesOf(pages['sign-in']).scripts) / KB).toBeLessThanOrEqual(150);
  });

  it.each(Object.entries(pages))('has at most 300 KB, and 14 files besides the font, for the page %s', (_, sources) => {
    const { scripts, styles } = filesOf(sources);
    expect(scripts.length + styles.length).toBeLessThanOrEqual(14);
    const [font, ...others] = files().filter((name) => /inter-latin-wght-normal-[^/]*\.woff2$/.test(name));
    if (font === undefined || others.length > 0) throw new Error('the site must have one font for Latin letters');
    // Not compressed again: WOFF2 contains Brotli.
    const bytes = bytesOf([...scripts, ...styles]) + readFileSync(join(build.site, font)).length;
    expect(bytes / KB).toBeLessThanOrEqual(300);
  });

  it('loads the charts after the figures, in a separate script of at most 130 KB', () => {
    const { scripts } = filesOf(pages.home);
    const chart = filesOf(['app/shell/shell.tsx', 'pages/home/home.tsx', 'components/chart/day-bars.tsx']).scripts;
    const own = chart.filter((file) => !scripts.includes(file));
    expect(own.length).toBeGreaterThan(0);
    expect(bytesOf(own) / KB).toBeLessThanOrEqual(130);
    expect(filesOf(pages.credit).scripts.filter((file) => own.includes(file))).toEqual([]);
  });

  it('has at most 30 KB of styles in total', () => {
    expect(bytesOf(files().filter((name) => name.endsWith('.css'))) / KB).toBeLessThanOrEqual(30);
  });

  it('measures every page of the router', () => {
    const measured = Object.values(pages).flat();
    const routed = [...readFileSync('dashboard/app/routing/router.tsx', 'utf8').matchAll(/import\('(.*?)'\)/g)];
    const expected = routed.map(([, path = '']) => join('app/routing', path));
    expect([...new Set(measured)].sort()).toEqual(expected.sort());
  });

  it('has a picture and an accessibility check of every page of the router', () => {
    const source = readFileSync('dashboard/app/routing/router.tsx', 'utf8');
    const routed = [...source.matchAll(/^ {2}path: '(.*)',$/gm)].map(([, path]) => path);
    expect(Object.keys(pictured).sort()).toEqual(routed.sort());
  });

  it('serves neither source maps nor the manifest, and only hashed files below assets', () => {
    expect(files().filter((name) => /\.map$|manifest/.test(name))).toEqual([]);
    expect(
      files()
        .filter((name) => !name.startsWith('assets/'))
        .sort(),
    ).toEqual(['index.html']);
    expect(files().filter((name) => name.startsWith('assets/') && !/-[\w-]{8}\.\w+$/.test(name))).toEqual([]);
    expect(readdirSync(build.maps).length).toBeGreaterThan(0);
  });

  it('needs no resource that the content security policy forbids', () => {
    const html = readFileSync(join(build.site, 'index.html'), 'utf8');
    expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|<style|style=|\son[a-z]+=|https?:/);
    const styles = files().filter((name) => name.endsWith('.css'));
    for (const name of styles)
      expect(readFileSync(join(build.site, name), 'utf8')).not.toMatch(/url\(\s*["']?(data|https?):/);
    const scripts = files().filter((name) => name.endsWith('.js'));
    for (const name of scripts)
      expect(readFileSync(join(build.site, name), 'utf8')).not.toMatch(/\beval\(|sourceMappingURL/);
  });
});

describe('a build', () => {
  const home = mkdtempSync(join(tmpdir(), 'dashboard-site-'));
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  /** Creates a site faster than Vite. */
  const write = async (site: string) => {
    await mkdir(join(site, 'assets'), { recursive: true });
    for (const name of ['index.html', 'manifest.json', 'assets/app.js', 'assets/app.js.map'])
      await writeFile(join(site, name), '');
  };

  it('runs once, in the first of two processes', async () => {
    let runs = 0;
    // The second process to get here is slow.
    const run = async (site: string) => {
      runs += 1;
      if (runs === 2) await first;
      await write(site);
    };
    const first = buildDashboard(home, run);
    const other = buildDashboard(home, run);
    const made = await first;
    writeFileSync(join(made.site, 'in-use'), '');
    expect(await other).toEqual(made);
    expect([runs, readdirSync(home)]).toEqual([2, [basename(dirname(made.site))]]);
    expect(readdirSync(made.site).sort()).toEqual(['assets', 'in-use', 'index.html']);
    expect(await buildDashboard(home, run)).toEqual(made);
    expect(runs).toBe(2);
  });
});
