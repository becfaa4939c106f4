import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin, type ProxyOptions } from 'vite';

/** Where `npm start` serves everything, with the same PORT. */
const LOCAL_CLOUD = `http://127.0.0.1:${process.env.PORT ?? 8080}`;

/** The local cloud accepts only requests whose host and origin are its own. */
const toLocalCloud: ProxyOptions = { target: LOCAL_CLOUD, changeOrigin: true, headers: { origin: LOCAL_CLOUD } };

/**
 * Puts theme.js before everything else, as a script that blocks. Vite itself leaves such scripts as they are, without a
 * hash in their names, by which they may be cached for ever.
 */
function themeFirst(): Plugin {
  const source = readFileSync(new URL('theme.js', import.meta.url), 'utf8');
  const fileName = `assets/theme-${createHash('sha256').update(source).digest('hex').slice(0, 8)}.js`;
  return {
    name: 'theme-first',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName, source });
    },
    transformIndexHtml: (_, { server }) => [
      { tag: 'script', attrs: { src: server ? '/theme.js' : `/${fileName}` }, injectTo: 'head' },
    ],
  };
}

/** React with the router and the queries. */
const VENDOR =
  /node_modules\/(@tanstack|react|react-dom|scheduler|use-sync-external-store)\/|preload-helper|rolldown.runtime/;

/** What is loaded before somebody has signed in: the entry, and the pages of the sign-in. */
const FIRST = /dashboard\/(index\.html|main\.tsx|pages\/sign-in\/(sign-in|new-password|reset)\.tsx)/;

type Modules = { getModuleInfo(id: string): { importers: readonly string[] } | null };

/** Whether a first page imports the module. */
function isFirst(id: string, modules: Modules): boolean {
  const importers = new Set([id]);
  for (const one of importers) {
    // The first pages themselves stay files of their own.
    if (FIRST.test(one)) return one !== id;
    for (const importer of modules.getModuleInfo(one)?.importers ?? []) importers.add(importer);
  }
  return false;
}

/** `npm run dashboard` serves by it, lib/dashboard-site.ts builds by it, into another folder. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [themeFirst()],
  oxc: { jsx: { runtime: 'automatic' } },
  server: { host: '127.0.0.1', port: 8081, proxy: { '/api': toLocalCloud, '/v1': toLocalCloud } },
  build: {
    outDir: '../dist/dashboard/by-hand',
    emptyOutDir: true,
    manifest: 'manifest.json',
    sourcemap: 'hidden',
    // Browsers with light-dark(), which the themes use.
    target: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    // The content security policy allows no data: address.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // "use client" concerns servers that render; there is none.
      onLog: (level, log, handle) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && handle(level, log),
      output: {
        // By default, each module that two pages share is a file of its own: sixty requests for a page.
        codeSplitting: {
          groups: [
            { name: 'vendor', test: VENDOR, priority: 2 },
            {
              // Without a least count: `shared` would take what the entry alone imports along with its users.
              name: (id, modules) => (isFirst(id, modules) ? 'base' : null),
              debugName: 'base',
              priority: 1,
            },
            { name: 'shared', minShareCount: 2 },
          ],
        },
      },
    },
  },
});
