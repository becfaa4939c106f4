import axe from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';

/** Gives every page of the visitor the checker. A script of the browser's own is no concern of the page's policy. */
export const withAxe = (context: BrowserContext): Promise<unknown> => context.addInitScript(axe.source);

/** @returns what breaks WCAG 2.2 A or AA on the page as it is, with the elements. */
export const findingsOn = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`axe
    .run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })
    .then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes.map(({ html }) => html).join(' ')))`);
