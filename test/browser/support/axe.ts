import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { BrowserContext, Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Gives every page of the visitor the checker. A script of the browser's own is no concern of the page's policy. */
export const withAxe = (context: BrowserContext): Promise<unknown> => context.addInitScript(axe);

/** @returns what breaks WCAG 2.2 A or AA on the page as it is, with the elements. */
export const findingsOn = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`axe
    .run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })
    .then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes.map(({ html }) => html).join(' ')))`);
