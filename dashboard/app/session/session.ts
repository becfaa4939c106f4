import type { Session } from '../../../shared/messages/dashboard/session.ts';
import { ApiError, isTokenRefused, isTransient, retries, retryDelay } from '../api/api-error.ts';
import { subjectOf } from './token.ts';

/**
 * `interrupted`: the session ended while the page was in use. Requests wait until the person has entered the password.
 * `unreachable`: the first refresh and its retries got no answer, or a transient failure (429, 5xx).
 */
export type SessionState = 'starting' | 'signed_in' | 'interrupted' | 'signed_out' | 'unreachable';

export type TabMessage = 'signed_in' | 'signed_out';

/** What the session needs from the browser. */
export type SessionWorld = {
  /** Requests a new access token with the cookie. */
  refresh: () => Promise<Session>;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** @returns a function that cancels it */
  later: (run: () => void, milliseconds: number) => () => void;
  isVisible: () => boolean;
  /** Whether this browser has signed in and not signed out since. Without it, a refresh is useless. */
  remembers: () => boolean;
  remember: (isSignedIn: boolean) => void;
  tellTabs: (message: TabMessage) => void;
  /** Clears all data that was read for the person. */
  forget: () => void;
  /** Another person has signed in in another tab: reloads the page. */
  startOver: () => void;
};

const RENEW_BEFORE_MILLISECONDS = 60_000;
/** A token that may expire in transit counts as expired. */
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
  let failure: unknown;
  /** Counts the ends of sessions: an answer to a request from before an end begins no session. */
  let ends = 0;
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

  /** A hidden tab renews when it becomes visible. */
  function renewInTime(): void {
    if (state !== 'signed_in' || !world.isVisible()) return;
    if (endsAt - world.now() <= RENEW_BEFORE_MILLISECONDS) renew().catch(() => {});
  }

  /** @throws ApiError `session_given_up` if the session has ended meanwhile */
  async function refresh(): Promise<string> {
    const before = ends;
    const session = await world.refresh();
    if (ends !== before) throw new ApiError({ status: 401, code: 'session_given_up' });
    return adopt(session);
  }

  const renew = (): Promise<string> => {
    if (renewing) return renewing;
    const before = ends;
    const own = refresh()
      .catch((error: unknown) => {
        if (!isTokenRefused(error) || ends !== before) throw error;
        if (state === 'signed_in' || state === 'interrupted') return waitForPerson();
        clear(true);
        throw error;
      })
      .finally(() => {
        if (renewing === own) renewing = undefined;
      });
    renewing = own;
    return own;
  };

  function clear(isRefused = false): void {
    cancelTimer();
    ends += 1;
    renewing = undefined;
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
    /** Whether the service refused to renew an existing session. */
    wasRefused: () => wasRefused,
    /** Why the session is unreachable. */
    failure: () => failure,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    /** Finds out whether the browser is signed in. */
    async begin(): Promise<void> {
      if (!world.remembers()) return clear();
      become('starting');
      for (let count = 0; state === 'starting'; count += 1) {
        const error = await renew().then(
          () => undefined,
          (reason: unknown) => reason,
        );
        if (error === undefined || state !== 'starting') return;
        if (retries(count, error)) {
          await new Promise<void>((resolve) => void world.later(resolve, retryDelay(count)));
          continue;
        }
        failure = error;
        become(isTransient(error) ? 'unreachable' : 'signed_out');
      }
    },

    /** @returns a token that is valid for some seconds, once one is available */
    token: async (): Promise<string> => {
      if (waiting) return waiting.promise;
      if (state === 'signed_out') throw new ApiError({ status: 401, code: 'session_given_up' });
      return token !== '' && endsAt - world.now() > SPARE_MILLISECONDS ? token : renew();
    },

    /** @returns a token other than the refused one; it is renewed once, however many requests were refused */
    replace: async (refused: string): Promise<string> => {
      if (waiting) return waiting.promise;
      return token !== '' && token !== refused ? token : renew();
    },

    /** Starts or continues the session with the sign-in's answer. */
    adopt(session: Session): void {
      adopt(session);
      world.remember(true);
      world.tellTabs('signed_in');
    },

    /** After a sign-out, or when the person gives up an interrupted session. */
    end(): void {
      clear();
      world.tellTabs('signed_out');
    },

    /** Follows a change in another tab of this browser. */
    hear(message: TabMessage): void {
      if (message === 'signed_out' && state !== 'signed_out') clear();
      if (message !== 'signed_in') return;
      world.remember(true);
      if (state === 'signed_out') become('starting');
      // Even if this tab has a token: the cookie may now belong to another person.
      refresh().catch(() => state === 'starting' && become('signed_out'));
    },

    /** The tab has become visible. */
    appeared: renewInTime,
  };
}

export type DashboardSession = ReturnType<typeof createSession>;
