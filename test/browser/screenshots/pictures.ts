import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Page, type Route } from 'playwright-core';
import { DASHBOARD_PATH } from '../../../shared/messages/dashboard/route.ts';
import type { Person } from '../../support/dashboard/dashboard.ts';
import { environment } from '../../support/stack/stack.ts';
import { chromiumPath } from '../support/chromium.ts';
import { addressesOf, pages, type Things } from '../support/pages.ts';
import { signIn } from '../support/sign-in.ts';
import { indexPage } from './index-page.ts';
import { scenesOf } from './scenes.ts';
import { aBusyOrg, aNewOrg, aTroubledOrg, type ShownOrg } from './shown-orgs.ts';

const widths = [1440, 768, 390] as const;
const themes = ['light', 'dark'] as const;
/** A zoom of 400 % reduces a window of 1280 px to the first width, and 3840 px are 4K. */
const extremes = [320, 3840] as const;
const HEIGHT = 900;
/** The height of the tallest picture. Further down, pages only repeat rows. */
const MAX_HEIGHT = 2_600;
const MAX_MS = 20_000;

const tellsOfTrouble = (path: string) => path === '/' || path.startsWith('/connections') || path === '/leads';

type Shot = { page: Page; folder: string };

/**
 * Takes all pictures.
 * @param wanted beginnings of paths; empty for all
 * @returns their number
 */
export async function takePictures(folder: string, wanted: readonly string[]): Promise<number> {
  const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
  try {
    const [busy, fresh, troubled] = [await aBusyOrg(), await aNewOrg(), await aTroubledOrg()];
    const isWanted = (path: string) => wanted.length === 0 || wanted.some((start) => path.startsWith(start));
    const paths = Object.keys(pages).filter(isWanted);
    await outside(browser, folder, paths);
    const as = (person: Person) => signedIn(browser, person);
    await walk({ page: await as(busy.owner), folder }, 'full', paths, busy.things);
    await walk({ page: await as(fresh.owner), folder }, 'empty', paths, fresh.things);
    await walk({ page: await as(troubled.owner), folder }, 'trouble', paths.filter(tellsOfTrouble), troubled.things);
    await walk({ page: await broken(await as(busy.owner), hold), folder }, 'loading', paths, busy.things);
    await walk({ page: await broken(await as(busy.owner), fail), folder }, 'error', paths, busy.things);
    await walk({ page: await as(busy.viewer), folder }, 'viewer', paths, busy.things);
    await scenes({ page: await as(busy.owner), folder }, busy, isWanted);
  } finally {
    await browser.close();
  }
  const taken = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.png'));
  writeFileSync(join(folder, 'index.html'), indexPage(taken.sort()));
  return taken.length;
}

async function aPage(browser: Browser): Promise<Page> {
  const context = await browser.newContext({
    baseURL: environment.dashboard_url,
    reducedMotion: 'reduce',
    viewport: { width: widths[0], height: HEIGHT },
  });
  context.setDefaultTimeout(MAX_MS);
  return await context.newPage();
}

async function signedIn(browser: Browser, person: Person): Promise<Page> {
  const page = await aPage(browser);
  await page.goto('/account');
  await signIn(page, person);
  return page;
}

async function outside(browser: Browser, folder: string, paths: readonly string[]): Promise<void> {
  const page = await aPage(browser);
  for (const path of paths.filter((one) => pages[one]?.isOutside)) {
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await shoot({ page, folder }, path, 'full');
  }
}

/** The answers that a page needs besides its own data. */
const NEEDED = /\/(session|me)(\/|$|\?)/;

/** Lets a page read the signed-in member, and answers all other requests in another way. */
async function broken(page: Page, answer: (route: Route) => Promise<void>): Promise<Page> {
  await page.route(`**${DASHBOARD_PATH}/**`, (route) =>
    NEEDED.test(route.request().url().split(DASHBOARD_PATH)[1] ?? '') ? route.continue() : answer(route),
  );
  return page;
}

const hold = async (): Promise<void> => {};

const fail = (route: Route): Promise<void> =>
  route.fulfill({
    status: 500,
    headers: { 'x-request-id': '9a1f6c2e-5d0b-4a7e-8f3c-2b6d1e0a4c57' },
    json: { error: 'internal_error', message: 'The service failed.' },
  });

async function walk({ page, folder }: Shot, state: string, paths: readonly string[], things: Things): Promise<void> {
  for (const path of paths.filter((one) => !pages[one]?.isOutside))
    for (const [index, address] of addressesOf(path, things).entries()) {
      await page.goto(address);
      await settled(page, state);
      await shoot({ page, folder }, index === 0 ? path : `${path}-${index + 1}`, state);
    }
}

async function scenes({ page, folder }: Shot, org: ShownOrg, isWanted: (path: string) => boolean): Promise<void> {
  for (const { name, path, address, open } of scenesOf(org).filter(({ path: of }) => isWanted(of))) {
    await page.setViewportSize({ width: widths[0], height: HEIGHT });
    await page.goto(address ?? path);
    await settled(page, 'full');
    try {
      await open(page);
    } catch (error) {
      // The page's own message says more than this error.
      console.error(`${path}, ${name}: ${error}`);
      process.exitCode = 1;
    }
    await shoot({ page, folder }, path, name);
  }
}

/** Waits until the page shows the elements of its state. */
async function settled(page: Page, state: string): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  const busy = page.locator('main [aria-busy="true"]');
  // A skeleton appears after a moment, but only on a page that waits.
  if (state === 'loading')
    return await busy
      .first()
      .waitFor({ timeout: 1_000 })
      .catch(() => undefined);
  await busy.first().waitFor({ state: 'detached' });
  await page.waitForLoadState('networkidle').catch(() => undefined);
  await busy.first().waitFor({ state: 'detached' });
}

/** Takes the page in its present state, at all widths and in both themes. */
async function shoot({ page, folder }: Shot, path: string, state: string): Promise<void> {
  const name = path === '/' ? 'overview' : path.slice(1).replaceAll('/', '-').replace('$id', 'one');
  mkdirSync(join(folder, name), { recursive: true });
  const all = state === 'full' ? [...widths, ...extremes] : widths;
  for (const width of all) {
    const isZoomed = width === extremes[0];
    await page.setViewportSize({ width, height: isZoomed ? 256 : HEIGHT });
    const isExtreme = extremes.some((extreme) => extreme === width);
    for (const colorScheme of isExtreme ? themes.slice(0, 1) : themes) {
      await page.emulateMedia({ colorScheme });
      await page.evaluate('document.fonts.ready');
      const height = await page.evaluate<number>('document.documentElement.scrollHeight');
      await page.screenshot({
        path: join(folder, name, `${state}-${width}-${colorScheme}.png`),
        fullPage: true,
        clip: { x: 0, y: 0, width, height: Math.min(height, MAX_HEIGHT) },
      });
    }
  }
  await page.setViewportSize({ width: widths[0], height: HEIGHT });
}
