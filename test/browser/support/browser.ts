import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { environment } from '../../support/stack/stack.ts';
import { chromiumPath } from './chromium.ts';

const hasChromium = existsSync(chromiumPath);

if (!hasChromium && process.env.CI) throw new Error(`There is no Chromium at ${chromiumPath}.`);
if (!hasChromium) console.warn(`Skipped: there is no Chromium at ${chromiumPath}; set CHROMIUM to another path.`);

/** Long enough for a busy machine: waits are for conditions. */
const MAX_MS = 60_000;

/** One browser for all files, because its start takes seconds of CPU time. stop-browser.ts closes it. */
const ofAllFiles = globalThis as { startedBrowser?: Browser };
const contexts: BrowserContext[] = [];
const troubles: string[] = [];

/**
 * Declares tests with visitors, whose pages are closed after each test. Skips them on a developer's machine without
 * Chromium.
 */
export function describeInBrowser(name: string, define: () => void): void {
  (hasChromium ? describe : describe.skip)(name, () => {
    afterEach(async () => {
      for (const context of contexts.splice(0)) await context.close();
      expect(troubles.splice(0)).toEqual([]);
    });
    define();
  });
}

/** Answers that a journey provokes. The browser reports each as an error on its console. */
type Provoked = { status: number; path: RegExp };

/**
 * Opens a browser with its own cookies. The test fails on every console message (including reports of the content
 * security policy), error, unexpected 4xx or 5xx, and request to another origin.
 * @param provoked answers that belong to the journey
 * @param visited other origins of the journey, such as a vendor's
 */
export async function aVisitor(
  provoked: Provoked[] = [],
  visited: string[] = [],
): Promise<{ page: Page; context: BrowserContext }> {
  ofAllFiles.startedBrowser ??= await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
  const context = await ofAllFiles.startedBrowser.newContext({
    baseURL: environment.dashboard_url,
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(MAX_MS);
  contexts.push(context);
  context.on('page', (page) => watch(page, provoked, visited));
  return { page: await context.newPage(), context };
}

function watch(page: Page, provoked: Provoked[], visited: readonly string[]): void {
  const isOutside = (url: string) => visited.includes(URL.canParse(url) ? new URL(url).origin : '');
  const isProvoked = (status: number, url: string) =>
    provoked.some((one) => one.status === status && one.path.test(new URL(url).pathname));
  page.on('pageerror', (error) => troubles.push(`error: ${error.message}`));
  page.on('console', (message) => {
    const { url } = message.location();
    const [, status] = /the server responded with a status of (\d+)/.exec(message.text()) ?? [];
    if (isOutside(url)) return;
    // A test has switched the network off.
    if (message.text().includes('net::ERR_INTERNET_DISCONNECTED')) return;
    if (['error', 'warning'].includes(message.type()) && !(status && isProvoked(Number(status), url)))
      troubles.push(`console: ${message.text()} ${url}`);
  });
  page.on('response', (response) => {
    const status = response.status();
    if (status >= 400 && !isOutside(response.url()) && !isProvoked(status, response.url()))
      troubles.push(`${status} ${response.url()}`);
  });
  page.on('request', (request) => {
    // Recordings come directly from the bucket.
    if (request.resourceType() === 'media') return;
    if (isOutside(request.url())) return;
    if (new URL(request.url()).origin !== environment.dashboard_url) troubles.push(`request to ${request.url()}`);
  });
}
