import axe from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';

/** Gives every page of the visitor the checker. A script of the browser's own is no concern of the page's policy. */
export const withAxe = (context: BrowserContext): Promise<unknown> => context.addInitScript(axe.source);

const WCAG_22_AA = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** The rules that a theme can break: the other ones see the same document. */
export const rulesOfColour = ['color-contrast', 'link-in-text-block'];

/**
 * @param rules the names of those to check; without them, all of WCAG 2.2 A and AA.
 * @returns what breaks them on the page as it is, with the elements.
 */
export const findingsOn = (page: Page, rules = WCAG_22_AA): Promise<string[]> =>
  page.evaluate<string[]>(`axe
    .run(document, { runOnly: ${JSON.stringify(rules)} })
    .then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes.map(({ html }) => html).join(' ')))`);
