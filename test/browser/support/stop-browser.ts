import type { Browser } from 'playwright-core';
import stopStack from '../../support/stack/stop-stack.ts';

/** Closes the browser of the suite (browser.ts), and stops its stack. */
export default async function stopBrowser(...given: Parameters<typeof stopStack>): Promise<void> {
  await (globalThis as { startedBrowser?: Browser }).startedBrowser?.close();
  await stopStack(...given);
}
