import { builtinModules } from 'node:module';
import type { Plugin } from 'esbuild';

const names = new Set(builtinModules.flatMap((name) => [name, `node:${name}`]));

/**
 * A module that middy imports for handlers with streamed answers, which the service does not have. It takes 2 ms to
 * load.
 */
const ofStreamedAnswers = ['stream/promises', 'stream/web'];
const isOfStreamedAnswers = (path: string, importer: string) =>
  ofStreamedAnswers.includes(path) && importer.includes('/@middy/core/');

/**
 * Loads Node.js' own modules with `process.getBuiltinModule`. An ES import creates a view of every member of a module,
 * which for `node:http` loads a WebSocket client (`npm run bench:cold` measures it).
 */
export const builtInModules: Plugin = {
  name: 'built-in-modules',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?[a-z_]+/ }, ({ path: written, importer }) => {
      if (!names.has(written)) return undefined;
      const path = written.replace(/^node:/, '');
      return { path, namespace: isOfStreamedAnswers(path, importer) ? 'absent' : 'built-in' };
    });
    onLoad({ filter: /.*/, namespace: 'absent' }, () => ({ contents: 'module.exports = {};', loader: 'js' }));
    onLoad({ filter: /.*/, namespace: 'built-in' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(`node:${path}`)});`,
      loader: 'js',
    }));
  },
};
