import { setTimeout as sleep } from 'node:timers/promises';
import { onlineManager } from '@tanstack/react-query';
import { loadPage } from '../../../dashboard/app/api/load-page.ts';

describe('the script of a page', () => {
  afterEach(() => onlineManager.setOnline(true));

  it('is requested only when the browser is online, because a browser remembers a failed request', async () => {
    let requests = 0;
    const load = async () => {
      requests += 1;
      return 'page';
    };
    onlineManager.setOnline(false);
    const loading = loadPage(load);
    await sleep(5);
    expect(requests).toBe(0);
    onlineManager.setOnline(true);
    expect(await loading).toBe('page');
    expect(requests).toBe(1);
  });

  it('fails with an error for which the router does not reload the dashboard', async () => {
    const failed = loadPage(() => Promise.reject(new TypeError('Failed to fetch dynamically imported module: x')));
    await expect(failed).rejects.toMatchObject({ code: 'network', message: 'network' });
  });
});
