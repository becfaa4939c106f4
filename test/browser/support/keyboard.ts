import type { Locator, Page } from 'playwright-core';

/** Returns whether Tab stops at the focused element, and an outline shows it. */
const IS_VISIBLE_STOP = `(() => {
  const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
  return document.activeElement.tabIndex >= 0 && outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
})()`;

/** Returns the HTML of the focused element if the header covers it. */
const COVERED = `(() => {
  const { x, y, width } = document.activeElement.getBoundingClientRect();
  const above = document.elementFromPoint(x + width / 2, y + 1);
  const isHidden = above?.closest('header') && !document.activeElement.closest('header');
  return isHidden ? document.activeElement.outerHTML : undefined;
})()`;

/**
 * Walks back through a page, from its last stop of Tab to its first.
 * @returns the stops that the header covers
 */
export async function coveredStops(page: Page): Promise<string[]> {
  await page.locator('main').locator('a, button, input, select').last().focus();
  const covered: string[] = [];
  while (await page.evaluate<boolean>('document.activeElement.closest("main") !== null')) {
    covered.push(...[await page.evaluate<string | undefined>(COVERED)].filter((one) => one !== undefined));
    await page.keyboard.press('Shift+Tab');
  }
  return covered;
}

/** Keys that move the focus inside a single stop of Tab. */
const movers: Readonly<Record<string, string>> = { tab: 'ArrowRight', menuitem: 'ArrowDown' };
const MAX_MOVES = 30;
const MAX_TRIES = 5;
const TRY_AGAIN_MS = 100;

const hasFocus = async (control: Locator): Promise<boolean> =>
  (await control.and(control.page().locator(':focus')).count()) === 1;

/**
 * Operates a control without a mouse. Fails if Tab, or the arrow keys in tabs and menus, do not reach it, or if the
 * focus is not visible.
 * @param key Space for a checkbox
 */
export async function press(control: Locator, key: 'Enter' | 'Space' = 'Enter'): Promise<void> {
  const ready = control.and(control.page().locator(':not([aria-disabled="true"], :disabled)'));
  await ready.waitFor();
  const mover = movers[(await control.getAttribute('role')) ?? ''];
  if (mover !== undefined) return pressInGroup(control, mover, key);
  // A page that has just been opened takes the focus once more, to its heading.
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    await control.focus();
    if ((await hasFocus(control)) && (await control.page().evaluate<boolean>(IS_VISIBLE_STOP))) return ready.press(key);
    await control.page().waitForTimeout(TRY_AGAIN_MS);
  }
  throw new Error(`${control} is not a stop of Tab that shows its focus`);
}

/** Chooses files in the dialog of the browser, which a key opens. */
export async function chooseFiles(field: Locator, files: Parameters<Locator['setInputFiles']>[0]): Promise<void> {
  const [chooser] = await Promise.all([field.page().waitForEvent('filechooser'), press(field)]);
  await chooser.setFiles(files);
}

async function pressInGroup(control: Locator, mover: string, key: string): Promise<void> {
  const page = control.page();
  await page.locator('[role="tab"][aria-selected="true"], [role="menu"]').last().focus();
  for (let moves = 0; moves < MAX_MOVES; moves += 1) {
    if (await hasFocus(control)) return page.keyboard.press(key);
    await page.keyboard.press(mover);
  }
  throw new Error(`${control} is not reached by ${mover}`);
}
