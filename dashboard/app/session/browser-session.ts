import { refreshSession, signOut } from '../../../shared/messages/dashboard/session.ts';
import { type Fetch, send } from '../api/send.ts';
import { readStored, writeStored } from '../browser/storage.ts';
import { queryClient } from '../query/query-client.ts';
import { createClient } from './client.ts';
import { createSession, type TabMessage } from './session.ts';

const browserFetch: Fetch = (address, init) => fetch(address, init);
const tabChannel = new BroadcastChannel('dashboard.session');

/** The one session of this tab. */
export const session = createSession({
  refresh: () => send(browserFetch, refreshSession, { body: {} }),
  now: () => Date.now(),
  setTimer: (run, milliseconds) => {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
  isVisible: () => document.visibilityState === 'visible',
  hasSignedInBefore: () => readStored('signed-in') === 'yes',
  storeSignedIn: (isSignedIn) => writeStored('signed-in', isSignedIn ? 'yes' : null),
  notifyTabs: (message) => tabChannel.postMessage(message),
  clearData: () => queryClient.clear(),
  reloadApp: () => location.assign('/'),
});

tabChannel.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => session.handleTabMessage(data));
document.addEventListener('visibilitychange', () => session.handleVisible());

/** Calls a route of the API. */
export const callApi = createClient(browserFetch, session);

/** Ends the session in this browser or in all of them. @throws ApiError if it did not end */
export async function endSession(everywhere: boolean): Promise<void> {
  await callApi(signOut, { body: {}, query: everywhere ? { everywhere: 'true' } : {} });
  session.end();
}
