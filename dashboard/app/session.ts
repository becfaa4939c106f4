import type { Session } from '../../shared/messages/dashboard/session.ts';
import { ApiError, isPassing, isTokenRefused } from './api-error.ts';
import { subjectOf } from './token.ts';

/**
 * `interrupted`: the session ended while the page was in use. Requests wait until the person has entered the password.
 * `unreachable`: the first refresh got no answer.
 */
export type SessionState = 'starting' | 'signed_in' | 'interrupted' | 'signed_out' | 'unreachable';

export type TabMessage = 'signed_in' | 'signed_out';

/** What the session needs of the browser. */
export type SessionWorld = {
  /** Asks for a new access token by the cookie. */
  refresh: () => Promise<Session>;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** @returns how to cancel it */
  later: (run: () => void, milliseconds: number) => () => void;
  isVisible: () => boolean;
  /** Whether this browser has signed in before and not signed out. Without it, no refresh is worth a request. */
  remembers: () => boolean;
  remember: (isSignedIn: boolean) => void;
  tellTabs: (message: TabMessage) => void;
  /** Empties all that was read for the person. */
  forget: () => void;
  /** Somebody else has signed in, in another tab: begins the page anew. */
  startOver: () => void;
};

const RENEW_BEFORE_MILLISECONDS = 60_000;
/** A token that ends while its request travels is no token. */
const SPARE_MILLISECONDS = 5_000;

type Waiting = PromiseWithResolvers<string>;

/** Keeps the access token in memory and renews it, one request at a time (docs/dashboard.md, "Session"). */
export function createSession(world: SessionWorld) {
  let state: SessionState = 'starting';
  let token = '';
  let endsAt = 0;
  let person: string | undefined;
  let renewing: Promise<string> | undefined;
  let waiting: Waiting | undefined;
  let wasRefused = false;
  let cancelTimer = () => {};
  const listeners = new Set<() => void>();

  const become = (next: SessionState) => {
    state = next;
    for (const listener of listeners) listener();
  };

  const waitForPerson = (): Promise<string> => {
    waiting ??= Promise.withResolvers<string>();
    if (state !== 'interrupted') become('interrupted');
    return waiting.promise;
  };

  function adopt({ access_token, expires_in }: Session): string {
    const subject = subjectOf(access_token);
    const isAnother = person !== undefined && subject !== person;
    [token, endsAt, person] = [access_token, world.now() + expires_in * 1000, subject];
    if (isAnother) {
      world.forget();
      waiting?.reject(new ApiError({ status: 401, code: 'session_given_up' }));
      waiting = undefined;
      world.startOver();
      return token;
    }
    cancelTimer();
    cancelTimer = world.later(renewInTime, Math.max(expires_in * 500, expires_in * 1000 - RENEW_BEFORE_MILLISECONDS));
    waiting?.resolve(token);
    waiting = undefined;
    become('signed_in');
    return token;
  }

  /** In a hidden tab it waits until the tab is seen again. */
  function renewInTime(): void {
    if (state !== 'signed_in' || !world.isVisible()) return;
    if (endsAt - world.now() <= RENEW_BEFORE_MILLISECONDS) renew().catch(() => {});
  }

  const renew = (): Promise<string> => {
    renewing ??= world
      .refresh()
      .then(adopt)
      .catch((error: unknown) => {
        if (!isTokenRefused(error)) throw error;
        if (state === 'signed_in' || state === 'interrupted') return waitForPerson();
        clear(true);
        throw error;
      })
      .finally(() => {
        renewing = undefined;
      });
    return renewing;
  };

  function clear(isRefused = false): void {
    cancelTimer();
    [token, endsAt, person] = ['', 0, undefined];
    wasRefused = isRefused;
    world.remember(false);
    world.forget();
    waiting?.reject(new ApiError({ status: 401, code: 'session_given_up' }));
    waiting = undefined;
    become('signed_out');
  }

  return {
    state: () => state,
    /** Whether the service refused to go on with a session of before. */
    wasRefused: () => wasRefused,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    /** Finds out whether the browser is signed in. */
    async begin(): Promise<void> {
      if (!world.remembers()) return clear();
      become('starting');
      await renew().catch((error: unknown) => {
        if (state === 'starting') become(isPassing(error) ? 'unreachable' : 'signed_out');
      });
    },

    /** @returns a token that is valid for some seconds, as soon as there is one */
    token: async (): Promise<string> => {
      if (waiting) return waiting.promise;
      if (state === 'signed_out') throw new ApiError({ status: 401, code: 'session_given_up' });
      return token !== '' && endsAt - world.now() > SPARE_MILLISECONDS ? token : renew();
    },

    /** @returns another token than the refused one; it is renewed once, however many requests were refused */
    replace: async (refused: string): Promise<string> => {
      if (waiting) return waiting.promise;
      return token !== '' && token !== refused ? token : renew();
    },

    /** Begins, or goes on, with what the sign-in answered. */
    adopt(session: Session): void {
      adopt(session);
      world.remember(true);
      world.tellTabs('signed_in');
    },

    /** After a sign-out, or where the person gives up an interrupted session. */
    end(): void {
      clear();
      world.tellTabs('signed_out');
    },

    /** Obeys another tab of this browser. */
    hear(message: TabMessage): void {
      if (message === 'signed_out' && state !== 'signed_out') clear();
      if (message !== 'signed_in') return;
      world.remember(true);
      if (state === 'signed_out') become('starting');
      // Also where this tab has a token: the cookie may belong to somebody else now.
      world.refresh().then(adopt, () => state === 'starting' && become('signed_out'));
    },

    /** The tab is seen again. */
    appeared: renewInTime,
  };
}

export type DashboardSession = ReturnType<typeof createSession>;
