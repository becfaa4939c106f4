import { builtinModules, createRequire } from 'node:module';
import type { Plugin } from 'esbuild';

const require = createRequire(import.meta.url);
const names = new Set(builtinModules.flatMap((name) => [name, `node:${name}`]));

/**
 * A module that middy imports for handlers with streamed answers, which the service does not have. It takes 2 ms to
 * load.
 */
const ofStreamedAnswers = ['stream/promises', 'stream/web'];
const isOfStreamedAnswers = (path: string, importer: string) =>
  ofStreamedAnswers.includes(path) && importer.includes('/@middy/core/');

/** Marks a module that a CommonJS package requires, which gets the module itself. */
const REQUIRED = 'required:';

const loading = (path: string) => `process.getBuiltinModule(${JSON.stringify(`node:${path}`)})`;

/**
 * Exports the members of a module. esbuild drops those that the bundle does not use, because their calls are marked as
 * pure. A CommonJS module would be copied for each import, with a getter for each of its members.
 */
function membersOf(path: string): string {
  const members = Object.keys(require(`node:${path}`) as object).filter(
    (name) => /^[a-zA-Z_]\w*$/.test(name) && name !== 'default',
  );
  return [
    `const all = ${loading(path)};`,
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
    onResolve({ filter: /^(node:)?[a-z_]+/ }, ({ path: written, importer, kind }) => {
      if (!names.has(written)) return undefined;
      const path = written.replace(/^node:/, '');
      if (isOfStreamedAnswers(path, importer)) return { path, namespace: 'absent' };
      return { path: kind === 'import-statement' ? path : `${REQUIRED}${path}`, namespace: 'built-in' };
    });
    onLoad({ filter: /.*/, namespace: 'absent' }, () => ({ contents: 'module.exports = {};', loader: 'js' }));
    onLoad({ filter: /.*/, namespace: 'built-in' }, ({ path }) => ({
      contents: path.startsWith(REQUIRED)
        ? `module.exports = ${loading(path.slice(REQUIRED.length))};`
        : membersOf(path),
      loader: 'js',
    }));
  },
};
