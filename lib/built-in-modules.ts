import { builtinModules } from 'node:module';
import type { Plugin } from 'esbuild';

const names = new Set(builtinModules.flatMap((name) => [name, `node:${name}`]));

/**
 * Takes Node.js' own modules from `process.getBuiltinModule`. An ES import makes a view of every member of a module;
 * that of `node:http` loads a WebSocket client (`npm run bench:cold` measures it).
 */
export const builtInModules: Plugin = {
  name: 'built-in-modules',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?[a-z_]+/ }, ({ path }) =>
      names.has(path) ? { path: path.replace(/^node:/, ''), namespace: 'built-in' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'built-in' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(`node:${path}`)});`,
      loader: 'js',
    }));
  },
};
