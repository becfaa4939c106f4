import { fileURLToPath } from 'node:url';
import { defineConfig, type ProxyOptions } from 'vite';

/** Where `npm start` serves everything. */
const LOCAL_CLOUD = 'http://127.0.0.1:8080';

/** The session's routes accept only requests whose origin is the dashboard's own. */
const toLocalCloud: ProxyOptions = { target: LOCAL_CLOUD, headers: { origin: LOCAL_CLOUD } };

/** `npm run dashboard` serves by it, lib/dashboard-site.ts builds by it, into another folder. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
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
    },
  },
});
