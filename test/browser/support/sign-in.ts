import type { Page } from 'playwright-core';
import { press } from './keyboard.ts';

/**
 * Opens another page of the dashboard as a link does. Loading everything again costs a multiple of the CPU time.
 * @param address of another route: the router reuses a page for another item of the same route
 */
export async function follow(page: Page, address: string): Promise<void> {
  const left = await page.locator('h1').elementHandle();
  await page.evaluate(`history.pushState({}, '', '${address}'); dispatchEvent(new PopStateEvent('popstate'))`);
  await left?.waitForElementState('hidden');
}

export const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });

/** Signs in on the sign-in page, and waits until the session has begun. */
export async function signIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await press(page.getByRole('button', { name: 'Sign in' }));
  await page.getByRole('button', { name: /account of/ }).waitFor();
}
