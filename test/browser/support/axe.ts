import axe from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';

/** Gives every page of the visitor the checker. A script of the browser's own is no concern of the page's policy. */
export const withAxe = (context: BrowserContext): Promise<unknown> => context.addInitScript(axe.source);

const WCAG_22_AA = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** The rules that a theme can break: the other ones see the same document. */
const rulesOfColour = ['color-contrast', 'link-in-text-block'];

/**
 * @param part the only part that is checked, as a selector
 * @returns what breaks WCAG 2.2 A and AA on the page as it is, in both themes, with the elements
 */
export async function findingsOn(page: Page, part = 'html'): Promise<string[]> {
  const found = await findings(page, part, 'light', WCAG_22_AA);
  await page.emulateMedia({ colorScheme: 'dark' });
  found.push(...(await findings(page, part, 'dark', rulesOfColour)));
  await page.emulateMedia({ colorScheme: 'light' });
  return found;
}

const findings = (page: Page, part: string, theme: string, rules: readonly string[]): Promise<string[]> =>
  page.evaluate<string[]>(`axe
    .run(${JSON.stringify(part)}, { runOnly: ${JSON.stringify(rules)} })
    .then(({ violations }) => violations.map(({ id, nodes }) =>
      '${theme}: ' + id + ' ' + nodes.map(({ html }) => html).join(' ')))`);
