import { chromium, type Page } from 'playwright-core';
import { chromiumPath } from '../../browser/support/chromium.ts';
import { addressesOf, pages, type RoutedPage, type Things } from '../../browser/support/pages.ts';
import { heading, signIn } from '../../browser/support/sign-in.ts';
import type { Person } from '../../support/dashboard/dashboard.ts';
import { environment } from '../../support/stack/stack.ts';
import { quantile } from './quantile.ts';
import { timed } from './timed.ts';

const COLD_MS = 2_000;
const WARM_MS = 500;
/** The cold time of a page is the median of these visits. */
const VISITS = 3;
const CSV_MS = 20_000;
const HEADING = 'main h1';

/** A page is usable once its heading and its subject are shown. */
async function usable(page: Page, { title }: RoutedPage): Promise<void> {
  await heading(page, title).waitFor();
  await page.locator('main [aria-busy="true"]').first().waitFor({ state: 'detached' });
}

/**
 * Measures each page: cold in a browser context without a cache, warm on the way back to it from another page.
 * @returns whether all are within their limits
 */
export async function measurePages(owner: Person, things: Things): Promise<boolean> {
  const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
  let isFast = true;
  try {
    const first = await browser.newContext({ baseURL: environment.dashboard_url });
    const page = await first.newPage();
    await page.goto('/account');
    await signIn(page, owner);
    const storageState = await first.storageState();
    console.log(`\nPages in Chromium, milliseconds: cold (limit ${COLD_MS}), warm (limit ${WARM_MS})`);
    for (const [path, routed] of Object.entries(pages).filter(([, { isOutside }]) => !isOutside)) {
      const [address = path] = addressesOf(path, things);
      // The first visit starts the functions; people pay for that once a day.
      await page.goto(address);
      await usable(page, routed);
      const colds: number[] = [];
      const visit = async (): Promise<Page> => {
        const context = await browser.newContext({ baseURL: environment.dashboard_url, storageState });
        const visitor = await context.newPage();
        const [cold] = await timed(async () => {
          await visitor.goto(address);
          await usable(visitor, routed);
        });
        colds.push(cold);
        return visitor;
      };
      for (let earlier = 1; earlier < VISITS; earlier += 1) await (await visit()).context().close();
      const visitor = await visit();
      const cold = quantile(colds, 0.5);
      await visitor.locator(HEADING).focus();
      await visitor.keyboard.press('g');
      await visitor.keyboard.press(path === '/account' ? 'k' : 'a');
      await heading(visitor, path === '/account' ? 'API keys' : 'Account').waitFor();
      const [warm] = await timed(async () => {
        await visitor.goBack();
        await usable(visitor, routed);
      });
      await visitor.context().close();
      const isSlow = cold > COLD_MS || warm > WARM_MS;
      if (isSlow) isFast = false;
      console.log(
        `${path.padEnd(24)} cold ${cold.toFixed(0).padStart(5)}  warm ${warm.toFixed(0).padStart(4)}${isSlow ? '  TOO SLOW' : ''}`,
      );
    }
    await page.goto('/calls');
    await usable(page, pages['/calls'] as RoutedPage);
    const [csv] = await timed(async () => {
      const saved = page.waitForEvent('download', { timeout: 120_000 });
      await page.getByRole('main').getByRole('button', { name: 'Export CSV' }).click();
      await (await saved).path();
    });
    if (csv > CSV_MS) isFast = false;
    console.log(`\nCSV file of all calls: ${(csv / 1000).toFixed(1)} s (limit ${CSV_MS / 1000})`);
  } finally {
    await browser.close();
  }
  return isFast;
}
