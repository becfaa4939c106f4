import { onlineManager } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';

/**
 * Loads the script of a page, as soon as the browser is online: some browsers remember a failed request until the next
 * reload.
 * @throws ApiError on any failure. For the browser's own error, the router would reload the dashboard, which ends at
 * the browser's error page while the network is down.
 */
export async function loadPage<Module>(load: () => Promise<Module>): Promise<Module> {
  if (!onlineManager.isOnline())
    await new Promise<void>((resolve) => {
      const stop = onlineManager.subscribe((isOnline) => {
        if (!isOnline) return;
        stop();
        resolve();
      });
    });
  return load().catch(() => Promise.reject(new ApiError({ status: 0, code: 'network' })));
}
