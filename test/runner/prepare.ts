import type { SuiteName } from './request.ts';

const suitesWithFunctions: readonly SuiteName[] = ['infra', 'contracts', 'local', 'e2e', 'faults', 'browser'];
const suitesWithClouds: readonly SuiteName[] = ['local', 'e2e', 'faults', 'browser'];

/**
 * Returns a function that prepares a suite's inputs once for all suites of this run: the bundles of the functions, the
 * dashboard's pages and the installation of the emulator. It ignores a failure, because the suites try again and report
 * it.
 */
export function preparation(): (suite: SuiteName) => Promise<void> {
  const bundles = once(bundle);
  const pages = once(buildPages);
  const emulator = once(install);
  return async (suite) => {
    await Promise.all([
      suitesWithFunctions.includes(suite) && bundles(),
      suitesWithClouds.includes(suite) && pages(),
      suitesWithClouds.includes(suite) && emulator(),
    ]);
  };
}

function once(make: () => Promise<void>): () => Promise<void> {
  let made: Promise<void> | undefined;
  return () => {
    made ??= make().catch(() => undefined);
    return made;
  };
}

// Imported late, so that a mistake in lib/ or local/ fails only the suites that need it.

async function bundle(): Promise<void> {
  const { bundleFunctions } = await import('../../lib/bundle.ts');
  await bundleFunctions();
}

async function buildPages(): Promise<void> {
  const { buildDashboardSite } = await import('../../lib/dashboard-site.ts');
  await buildDashboardSite();
}

async function install(): Promise<void> {
  const { installEmulator } = await import('../../local/python-packages.ts');
  await installEmulator({ log: console.log });
}
