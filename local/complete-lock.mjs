/**
 * node local/complete-lock.mjs, after every change of dependencies: names in package-lock.json the platform packages that npm
 * left out. Where a registry lacks optional packages of other platforms npm writes none of them down, and `npm ci` then
 * refuses the lock file on every machine. test/infra/lock.test.ts tells when this was forgotten.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const file = fileURLToPath(new URL('../package-lock.json', import.meta.url));
const PLATFORM =
  /-(?<os>android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32|aix)-(?<cpu>[a-z0-9]+)(?<abi>-[a-z]+)?$/;

/** @returns the package's entry by the platform that its name tells; undefined where it tells none. */
function entryOf(name, version) {
  const { os, cpu, abi } = PLATFORM.exec(name)?.groups ?? {};
  if (!os) return undefined;
  const libc = os === 'linux' ? { libc: [abi?.includes('musl') ? 'musl' : 'glibc'] } : {};
  return { version, cpu: [cpu], ...libc, optional: true, os: [os] };
}

const lock = JSON.parse(readFileSync(file, 'utf8'));
for (const [path, { optionalDependencies = {}, dev }] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const key = `node_modules/${name}`;
    if (lock.packages[key] || lock.packages[`${path}/${key}`]) continue;
    const entry = entryOf(name, version);
    if (entry) lock.packages[key] = { ...entry, ...(dev && { dev }) };
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(file, `${JSON.stringify(lock, undefined, 2)}\n`);
