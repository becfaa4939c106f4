import axe from 'axe-core';
import type { Page } from 'playwright-core';

const WCAG_22_AA = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** The rules whose result depends on the theme; other rules see the same document. */
const colorRules = ['color-contrast', 'link-in-text-block'];

/**
 * @param part a selector that limits the check
 * @returns the violations of WCAG 2.2 A and AA on the present page in both themes, with the elements
 */
export async function findingsOn(page: Page, part = 'html'): Promise<string[]> {
  // The page's policy does not apply to a script of the browser. Most loads need no checker.
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe.source);
  const found = await findings(page, part, 'light', WCAG_22_AA);
  await page.emulateMedia({ colorScheme: 'dark' });
  found.push(...(await findings(page, part, 'dark', colorRules)));
  await page.emulateMedia({ colorScheme: 'light' });
  return found;
}

/** Omits passed checks, and the style sheets, which only an experimental rule needs. */
const onlyViolations = { resultTypes: ['violations'], preload: { assets: ['media'] } };

const findings = (page: Page, part: string, theme: string, rules: readonly string[]): Promise<string[]> =>
  page.evaluate<string[]>(`axe
    .run(${JSON.stringify(part)}, ${JSON.stringify({ runOnly: rules, ...onlyViolations })})
    .then(({ violations }) => violations.map(({ id, nodes }) =>
      '${theme}: ' + id + ' ' + nodes.map(({ html }) => html).join(' ')))`);
