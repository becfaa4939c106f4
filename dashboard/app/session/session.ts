import type { Session } from '../../../shared/messages/dashboard/session.ts';
import { isTokenRefused, isTransient, retryDelay, sessionGivenUp, shouldRetry } from '../api/api-error.ts';
import { readSubject } from './read-subject.ts';

/**
 * `interrupted`: the session ended while the page was in use. Requests wait until the person has entered the password.
 * `unreachable`: the first refresh and its retries got no answer, or a transient failure (429, 5xx).
 */
export type SessionState = 'starting' | 'signed_in' | 'interrupted' | 'signed_out' | 'unreachable';

export type TabMessage = 'signed_in' | 'signed_out';

/** The parts of the browser that the session uses. */
export type SessionEnvironment = {
  /** Requests a new access token with the cookie. */
  refresh: () => Promise<Session>;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** @returns a function that cancels it */
  setTimer: (run: () => void, milliseconds: number) => () => void;
  isVisible: () => boolean;
  /** Whether this browser has signed in and not signed out since. Otherwise, a refresh would only be refused. */
  hasSignedInBefore: () => boolean;
  storeSignedIn: (isSignedIn: boolean) => void;
  notifyTabs: (message: TabMessage) => void;
  /** Clears all data that was read for the person. */
  clearData: () => void;
  /** Reloads the app, because another person has signed in in another tab. */
  reloadApp: () => void;
};

const RENEW_BEFORE_MILLISECONDS = 60_000;
/** A token that may expire in transit counts as expired. */
const EXPIRY_MARGIN_MILLISECONDS = 5_000;

/** Keeps the access token in memory and renews it, one request at a time (docs/dashboard.md, "Session"). */
export function createSession(environment: SessionEnvironment) {
  let state: SessionState = 'starting';
  let token = '';
  let expiresAt = 0;
  let personId: string | undefined;
  let renewal: Promise<string> | undefined;
  let pendingToken: PromiseWithResolvers<string> | undefined;
  let wasRefused = false;
  let failure: unknown;
  /** Counts the ends of sessions, so that the late answer to an earlier refresh does not begin a session again. */
  let endCount = 0;
  let cancelTimer = () => {};
  const listeners = new Set<() => void>();

  const setState = (next: SessionState) => {
    state = next;
    for (const listener of listeners) listener();
  };

  const waitForSignIn = (): Promise<string> => {
    pendingToken ??= Promise.withResolvers<string>();
    if (state !== 'interrupted') setState('interrupted');
    return pendingToken.promise;
  };

  function applySession({ access_token, expires_in }: Session): string {
    const subject = readSubject(access_token);
    const isAnotherPerson = personId !== undefined && subject !== personId;
    [token, expiresAt, personId] = [access_token, environment.now() + expires_in * 1000, subject];
    if (isAnotherPerson) {
      environment.clearData();
      pendingToken?.reject(sessionGivenUp());
      pendingToken = undefined;
      environment.reloadApp();
      return token;
    }
    cancelTimer();
    const delay = Math.max(expires_in * 500, expires_in * 1000 - RENEW_BEFORE_MILLISECONDS);
    cancelTimer = environment.setTimer(renewIfDue, delay);
    pendingToken?.resolve(token);
    pendingToken = undefined;
    setState('signed_in');
    return token;
  }

  /** A hidden tab renews when it becomes visible. */
  function renewIfDue(): void {
    if (state !== 'signed_in' || !environment.isVisible()) return;
    if (expiresAt - environment.now() <= RENEW_BEFORE_MILLISECONDS) renew().catch(() => {});
  }

  /** @throws ApiError `session_given_up` if the session has ended meanwhile */
  async function refresh(): Promise<string> {
    const before = endCount;
    const session = await environment.refresh();
    if (endCount !== before) throw sessionGivenUp();
    return applySession(session);
  }

  const renew = (): Promise<string> => {
    if (renewal) return renewal;
    const before = endCount;
    const started = refresh()
      .catch((error: unknown) => {
        if (!isTokenRefused(error) || endCount !== before) throw error;
        if (state === 'signed_in' || state === 'interrupted') return waitForSignIn();
        clear(true);
        throw error;
      })
      .finally(() => {
        if (renewal === started) renewal = undefined;
      });
    renewal = started;
    return started;
  };

  function clear(isRefused = false): void {
    cancelTimer();
    endCount += 1;
    renewal = undefined;
    [token, expiresAt, personId] = ['', 0, undefined];
    wasRefused = isRefused;
    environment.storeSignedIn(false);
    environment.clearData();
    pendingToken?.reject(sessionGivenUp());
    pendingToken = undefined;
    setState('signed_out');
  }

  /** @returns the current token if it is usable, otherwise another one */
  const tokenIf = async (isUsable: boolean): Promise<string> => {
    if (pendingToken) return pendingToken.promise;
    if (state === 'signed_out') throw sessionGivenUp();
    return token !== '' && isUsable ? token : renew();
  };

  return {
    state: () => state,
    /** Whether the service refused to renew an existing session. */
    wasRefused: () => wasRefused,
    /** Why the state is `unreachable`. */
    failure: () => failure,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    /** Finds out whether the browser is signed in. */
    async restore(): Promise<void> {
      if (!environment.hasSignedInBefore()) return clear();
      setState('starting');
      for (let count = 0; state === 'starting'; count += 1) {
        const error = await renew().then(
          () => undefined,
          (reason: unknown) => reason,
        );
        if (error === undefined || state !== 'starting') return;
        if (shouldRetry(count, error)) {
          await new Promise<void>((resolve) => void environment.setTimer(resolve, retryDelay(count)));
          continue;
        }
        failure = error;
        setState(isTransient(error) ? 'unreachable' : 'signed_out');
      }
    },

    /** @returns a token that is valid for some seconds, once one is available */
    getToken: () => tokenIf(expiresAt - environment.now() > EXPIRY_MARGIN_MILLISECONDS),

    /** @returns another token of the same person, renewed once for all refused requests; rejects after a sign-out */
    replaceToken: async (refused: string): Promise<string> => {
      if (readSubject(refused) !== personId) throw sessionGivenUp();
      return tokenIf(token !== refused);
    },

    /** Starts or continues the session with the sign-in's answer. */
    start(session: Session): void {
      applySession(session);
      environment.storeSignedIn(true);
      environment.notifyTabs('signed_in');
    },

    /** Ends the session, after a sign-out or when the person gives up an interrupted session. */
    end(): void {
      clear();
      environment.notifyTabs('signed_out');
    },

    /** Follows a change in another tab of this browser. */
    handleTabMessage(message: TabMessage): void {
      if (message === 'signed_out' && state !== 'signed_out') clear();
      if (message !== 'signed_in') return;
      environment.storeSignedIn(true);
      if (state === 'signed_out') setState('starting');
      // Even if this tab has a token: the cookie may now belong to another person.
      refresh().catch(() => state === 'starting' && setState('signed_out'));
    },

    /** Renews a token that is due, when the tab has become visible. */
    handleVisible: renewIfDue,
  };
}

export type DashboardSession = ReturnType<typeof createSession>;
