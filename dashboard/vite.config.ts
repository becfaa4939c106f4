import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin, type ProxyOptions } from 'vite';

/** Where `npm start` serves everything, with the same PORT. */
const LOCAL_CLOUD = `http://127.0.0.1:${process.env.PORT ?? 8080}`;

/**
 * The local cloud accepts only requests with its own host and origin. The proxy replaces this server's host and origin
 * with these, and no others, so that the local cloud still refuses the requests of other pages.
 */
const toLocalCloud: ProxyOptions = {
  target: LOCAL_CLOUD,
  configure: (proxy) =>
    proxy.on('proxyReq', (proxied, { headers: { host = '', origin }, socket: { localPort } }) => {
      const hosts = [`127.0.0.1:${localPort}`, `localhost:${localPort}`];
      if (hosts.includes(host)) proxied.setHeader('host', new URL(LOCAL_CLOUD).host);
      if (hosts.some((own) => origin === `http://${own}`)) proxied.setHeader('origin', LOCAL_CLOUD);
    }),
};

/**
 * Puts theme.js before everything else, as a blocking script. Vite bundles only modules, so the hash in its name, which
 * allows caching for a year, is made here.
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

/** Modules loaded before the sign-in: the entry, and the sign-in pages. */
const FIRST = /dashboard\/(index\.html|main\.tsx|pages\/sign-in\/(sign-in|new-password|reset)\.tsx)/;

type Modules = { getModuleInfo(id: string): { importers: readonly string[] } | null };

/** Returns whether a first page imports the module. */
function isFirst(id: string, modules: Modules): boolean {
  const importers = new Set([id]);
  for (const one of importers) {
    // The first pages themselves stay files of their own.
    if (FIRST.test(one)) return one !== id;
    for (const importer of modules.getModuleInfo(one)?.importers ?? []) importers.add(importer);
  }
  return false;
}

/** `npm run dashboard` uses it to serve, lib/dashboard-site.ts to build, into another folder. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [themeFirst()],
  oxc: { jsx: { runtime: 'automatic' } },
  server: {
    host: '127.0.0.1',
    port: 8081,
    // By default, Vite allows every page of this machine to read its answers.
    cors: false,
    proxy: { '/api': toLocalCloud, '/v1': toLocalCloud },
  },
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
      // "use client" concerns server rendering, which is not used.
      onLog: (level, log, handle) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && handle(level, log),
      output: {
        // By default, each module that two pages share is its own file: sixty requests per page.
        codeSplitting: {
          groups: [
            { name: 'vendor', test: VENDOR, priority: 2 },
            {
              // No minimum count: `shared` would otherwise absorb modules that only the entry imports.
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
