import { describe, expect, it } from '@jest/globals';
import { read } from './support/sources.ts';

type Package = {
  version?: string;
  resolved?: string;
  integrity?: string;
  /** Contained in the tarball of the package above it. */
  inBundle?: boolean;
  hasInstallScript?: boolean;
  optionalDependencies?: Record<string, string>;
};
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Package> };
const manifest = JSON.parse(read('package.json'));
const installed = Object.entries(packages).filter(([path]) => path !== '');

describe('package-lock.json', () => {
  it('has the hash of every package that is downloaded', () => {
    const unchecked = installed.filter(([, { integrity, inBundle }]) => !integrity && !inBundle);
    expect(unchecked.map(([path]) => path)).toEqual([]);
  });

  // If the registry lacks one, npm leaves them all out, and `npm ci` refuses the lock file (docs/decisions/0004).
  it('names the optional packages of every platform', () => {
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter((name) => {
        const places = [`${path}/node_modules/${name}`, `node_modules/${name}`];
        return !places.some((place) => packages[place]?.version);
      }),
    );
    expect(missing).toEqual([]);
  });

  it('names no download host', () => {
    expect(installed.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });

  it('holds the Node.js of .node-version, in the same version for every platform', () => {
    const wanted = read('.node-version').trim();
    const binaries = installed.filter(([path]) => /^node_modules\/node-(linux|darwin|win)-/.test(path));
    expect(binaries.length).toBeGreaterThan(0);
    expect(new Set(binaries.map(([, { version }]) => version))).toEqual(new Set([wanted]));
  });
});

describe('install scripts', () => {
  it('never run', () => {
    expect(read('.npmrc').split('\n')).toContain('ignore-scripts=true');
  });

  it('exist only in packages that work without them', () => {
    const scripted = installed.filter(([, { hasInstallScript }]) => hasInstallScript);
    const names = scripted.map(([path]) => path.split('node_modules/').at(-1));
    expect(names.sort()).toEqual(Object.keys(manifest.allowScripts).sort());
    expect(Object.values(manifest.allowScripts)).not.toContain(true);
  });
});

describe('the version', () => {
  it('is the newest of the changelog, in package.json and in the lock file', () => {
    const [, newest] = /^## (\d+\.\d+\.\d+) /m.exec(read('CHANGELOG.md')) ?? [];
    expect([manifest.version, packages['']?.version]).toEqual([newest, newest]);
  });
});
