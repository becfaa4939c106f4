import type { SuiteName } from './request.ts';

let bundling: Promise<void> | undefined;

/** Whether the tests deploy, synthesize or run the bundles of the functions. */
export const needsBundles = (suite: SuiteName): boolean =>
  ['infra', 'contracts', 'local', 'e2e', 'faults', 'browser'].includes(suite);

/**
 * Bundles the functions, and builds the dashboard, for all suites of this run. A failure is left to the suites, which bundle again and say why.
 * @param root the checkout.
 */
export function bundleOnce(root: string): Promise<void> {
  bundling ??= bundle(root).catch(() => undefined);
  return bundling;
}

async function bundle(root: string): Promise<void> {
  // Imported late, so that a mistake in lib/ fails only the suites that need it.
  const [{ bundleFunctions }, { buildDashboardSite }] = await Promise.all([
    import('../../lib/bundle.ts'),
    import('../../lib/dashboard-site.ts'),
  ]);
  await Promise.all([bundleFunctions(), buildDashboardSite()]);
  process.env.BUNDLED_CHECKOUT = root;
}
