import { builtinModules, createRequire } from 'node:module';
import type { Plugin } from 'esbuild';

const require = createRequire(import.meta.url);
const names = new Set(builtinModules.flatMap((name) => [name, `node:${name}`]));

/** Modules that middy imports for handlers that stream responses. No handler does, and loading them takes 2 ms. */
const streamingModules = ['stream/promises', 'stream/web'];
const isForStreaming = (path: string, importer: string) =>
  streamingModules.includes(path) && importer.includes('/@middy/core/');

/** Prefix of a module that a CommonJS package requires: the package gets the module object itself. */
const REQUIRED = 'required:';

const codeLoading = (path: string) => `process.getBuiltinModule(${JSON.stringify(`node:${path}`)})`;

/**
 * Exports the members of a module. esbuild drops those that the bundle does not use, because their calls are marked as
 * pure. A CommonJS module would be copied for each import, with a getter for each of its members.
 */
function membersOf(path: string): string {
  const members = Object.keys(require(`node:${path}`) as object).filter(
    (name) => /^[a-zA-Z_]\w*$/.test(name) && name !== 'default',
  );
  return [
    `const all = ${codeLoading(path)};`,
    'export default all;',
    ...members.map(
      (name, at) => `const m${at} = /* @__PURE__ */ (() => all.${name})();\nexport { m${at} as ${name} };`,
    ),
  ].join('\n');
}

/**
 * Loads Node.js' own modules with `process.getBuiltinModule`. An ES import creates a view of every member of a module,
 * which for `node:http` loads a WebSocket client (`npm run bench:cold` measures it).
 */
export const builtInModules: Plugin = {
  name: 'built-in-modules',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?[a-z_]+/ }, ({ path: specifier, importer, kind }) => {
      if (!names.has(specifier)) return undefined;
      const path = specifier.replace(/^node:/, '');
      if (isForStreaming(path, importer)) return { path, namespace: 'absent' };
      return { path: kind === 'import-statement' ? path : `${REQUIRED}${path}`, namespace: 'built-in' };
    });
    onLoad({ filter: /.*/, namespace: 'absent' }, () => ({ contents: 'module.exports = {};', loader: 'js' }));
    onLoad({ filter: /.*/, namespace: 'built-in' }, ({ path }) => ({
      contents: path.startsWith(REQUIRED)
        ? `module.exports = ${codeLoading(path.slice(REQUIRED.length))};`
        : membersOf(path),
      loader: 'js',
    }));
  },
};
