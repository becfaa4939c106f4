import { refreshSession, signOut } from '../../../shared/messages/dashboard/session.ts';
import { type Fetch, send } from '../api/send.ts';
import { readStored, store } from '../browser/storage.ts';
import { queryClient } from '../query/query.ts';
import { createClient } from './client.ts';
import { createSession, type TabMessage } from './session.ts';

const browserFetch: Fetch = (address, init) => fetch(address, init);
const tabs = new BroadcastChannel('dashboard.session');

/** The one session of this tab. */
export const session = createSession({
  refresh: () => send(browserFetch, refreshSession, { body: {} }),
  now: () => Date.now(),
  later: (run, milliseconds) => {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
  isVisible: () => document.visibilityState === 'visible',
  remembers: () => readStored('signed-in') === 'yes',
  remember: (isSignedIn) => store('signed-in', isSignedIn ? 'yes' : null),
  tellTabs: (message) => tabs.postMessage(message),
  forget: () => queryClient.clear(),
  startOver: () => location.assign('/'),
});

tabs.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => session.hear(data));
document.addEventListener('visibilitychange', () => session.appeared());

/** Calls a route of the API. */
export const call = createClient(browserFetch, session);

/** Ends the session in this browser or in all of them. @throws ApiError if it did not end */
export async function endSession(everywhere: boolean): Promise<void> {
  await call(signOut, { body: {}, query: everywhere ? { everywhere: 'true' } : {} });
  session.end();
}
