import { join } from 'node:path';
import type { SuiteName } from './request.ts';

const suitesWithFunctions: readonly SuiteName[] = ['infra', 'contracts', 'local', 'e2e', 'faults', 'browser'];
const suitesWithClouds: readonly SuiteName[] = ['local', 'e2e', 'faults', 'browser'];
const suitesWithStages: readonly SuiteName[] = ['e2e', 'faults', 'browser'];

/**
 * Returns a function that prepares the inputs of some suites once for all suites of this run: the bundles of the
 * functions, the dashboard's pages, the installation of the emulator, and the stage's templates. It ignores a failure,
 * because the suites try again and report it.
 * @param shared folder of this run
 */
export function preparation(shared: string): (suites: readonly SuiteName[]) => Promise<void> {
  const bundles = once(bundle);
  const pages = once(buildPages);
  const emulator = once(install);
  const assembly = once(() => synthesizeStage(join(shared, 'assembly')));
  return async (suites) => {
    const isOneOf = (known: readonly SuiteName[]) => suites.some((suite) => known.includes(suite));
    await Promise.all([
      isOneOf(suitesWithFunctions) && bundles(),
      isOneOf(suitesWithClouds) && pages(),
      isOneOf(suitesWithClouds) && emulator(),
    ]);
    if (isOneOf(suitesWithStages)) await assembly();
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

/** Synthesizes the stage once for all stacks of tests. `npm start` in the suite `local` synthesizes its own. */
async function synthesizeStage(folder: string): Promise<void> {
  const [{ synthesize }, { LOCAL_SENDER }, { contextOf }, { timeouts }] = await Promise.all([
    import('../../local/assembly.ts'),
    import('../../local/mail.ts'),
    import('../../bin/local/settings.ts'),
    import('../support/stack/timeouts.ts'),
  ]);
  const variables = { ...process.env, ...timeouts };
  await synthesize(folder, { mailFrom: LOCAL_SENDER, ...contextOf(variables) });
  process.env.SUITES_ASSEMBLY = folder;
}
