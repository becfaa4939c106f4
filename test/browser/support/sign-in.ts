import type { Page } from 'playwright-core';
import { press } from './keyboard.ts';

export const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });

/** Signs in on the sign-in page, and waits until the session has begun. */
export async function signIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await press(page.getByRole('button', { name: 'Sign in' }));
  await page.getByRole('button', { name: /account of/ }).waitFor();
}
