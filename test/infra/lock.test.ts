import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

type Package = { version?: string; resolved?: string; optionalDependencies?: Record<string, string> };
const lockFile = fileURLToPath(new URL('../../package-lock.json', import.meta.url));
const { packages } = JSON.parse(readFileSync(lockFile, 'utf8')) as { packages: Record<string, Package> };

describe('package-lock.json', () => {
  it('names every optional package, those of other platforms too: npm ci refuses it otherwise (local/complete-lock.mjs)', () => {
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter((name) => {
        const places = [`${path}/node_modules/${name}`, `node_modules/${name}`];
        return !places.some((place) => packages[place]?.version);
      }),
    );
    expect(missing).toEqual([]);
  });

  it('names no host that packages come from', () => {
    expect(Object.entries(packages).filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });
});
