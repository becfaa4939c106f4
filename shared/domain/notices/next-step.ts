import type { Notice } from './notice.ts';

const MINUTE_MS = 60_000;
/** Longer than one e-mail takes with all its attempts. Each e-mail renews it. */
const LEASE_MS = 5 * MINUTE_MS;
/** A connection that is broken in one run and works in the next must not begin an episode. */
const TROUBLE_DEBOUNCE_MS = 10 * MINUTE_MS;
/** Calls hold and return credit: near the threshold, an episode must not end and begin with each call. */
const RECOVERY_DEBOUNCE_MS = 30 * MINUTE_MS;
/** Less than the time between two runs, so that the next one tries again. */
const FIRST_WAIT_MS = 10 * MINUTE_MS;
const LONGEST_WAIT_MS = 4 * 60 * MINUTE_MS;
const MAX_TRIES = 6;
const GIVEN_UP_AFTER_MS = 3 * 24 * 60 * MINUTE_MS;

/** A run's observation of a subject. `gone`: its connection is disconnected, so it has not recovered. */
export type Seen = {
  org_id: string;
  subject: string;
  is: 'trouble' | 'fine' | 'gone';
  /** Only a person can end it, so the notice is sent at once. */
  isUrgent: boolean;
};

export type NoticeStep =
  | { kind: 'nothing' }
  /** Store the observation. */
  | { kind: 'store'; notice: Notice; isGivenUp?: boolean }
  /** Claim the notice, then send it. */
  | { kind: 'send'; notice: Notice };

/**
 * Decides the next step from a run's observation and the last notice (docs/notices.md, "Episodes").
 * @param stored undefined if no notice about it was ever sent
 */
export function nextStep(stored: Notice | undefined, seen: Seen, now: Date): NoticeStep {
  const last = stored ?? initialNotice(seen, now);
  const at = now.toISOString();
  if (last.leased_until !== undefined && last.leased_until > at) return { kind: 'nothing' };
  if (seen.is === 'gone') return last.about === 'recovery' && last.state === 'closed' ? nothing : endEpisode(last);
  const wanted = seen.is === 'trouble' ? 'trouble' : 'recovery';
  if (wanted === last.about) {
    if (last.state === 'open') return resume(last, now);
    return last.changed_at === undefined ? nothing : store({ ...last, changed_at: undefined });
  }
  const { changed_at = at } = last;
  if (now.getTime() - Date.parse(changed_at) < debounceMs(seen))
    return last.changed_at === undefined ? store({ ...last, changed_at }) : nothing;
  // People who were not notified of the problem get no all-clear. Those who were notified, but got no all-clear, get
  // no second notice.
  if (wanted === 'recovery' && !last.is_known) return endEpisode(last);
  if (wanted === 'trouble' && last.is_known)
    return { kind: 'store', notice: { ...closed(last), about: wanted, changed_at: undefined } };
  return send({ ...last, about: wanted, state: 'open', at, changed_at: undefined, reached: [], tries: 0 }, now);
}

/** Returns the notice after an e-mail to one person. */
export const withRecipient = (notice: Notice, userId: string, now: Date): Notice => ({
  ...written(notice),
  reached: [...notice.reached, userId],
  is_known: notice.about === 'trouble',
  leased_until: new Date(now.getTime() + LEASE_MS).toISOString(),
});

/**
 * Returns the notice after every recipient got it. After an all-clear, the problem no longer counts as known, even if
 * the people who knew of it are no longer recipients.
 */
export const delivered = (notice: Notice): Notice => ({
  ...closed(notice),
  is_known: notice.about === 'trouble' && notice.is_known,
});

const closed = (notice: Notice): Notice => ({
  ...written(notice),
  state: 'closed',
  leased_until: undefined,
  next_try_at: undefined,
});

/**
 * Returns the notice after a try that did not reach everyone.
 * @param isRefused whether single addresses were refused, which counts as a try; false if sending was stopped
 */
export function postponed(notice: Notice, isRefused: boolean, now: Date): Notice {
  const tries = notice.tries + (isRefused ? 1 : 0);
  const wait = Math.min(FIRST_WAIT_MS * 2 ** Math.max(0, tries - 1), LONGEST_WAIT_MS);
  const next_try_at = new Date(now.getTime() + wait).toISOString();
  return { ...written(notice), tries, leased_until: undefined, next_try_at };
}

const nothing: NoticeStep = { kind: 'nothing' };
const written = (notice: Notice): Notice => ({ ...notice, version: notice.version + 1 });
const store = (notice: Notice): NoticeStep => ({ kind: 'store', notice: written(notice) });

const endEpisode = (last: Notice): NoticeStep => ({
  kind: 'store',
  notice: { ...closed(last), about: 'recovery', changed_at: undefined, reached: [], is_known: false, tries: 0 },
});

const send = (notice: Notice, now: Date): NoticeStep => ({
  kind: 'send',
  notice: {
    ...written(notice),
    leased_until: new Date(now.getTime() + LEASE_MS).toISOString(),
    next_try_at: undefined,
  },
});

/** Takes over a notice whose worker died, or whose next try is due. */
function resume(last: Notice, now: Date): NoticeStep {
  if (last.tries >= MAX_TRIES || now.getTime() - Date.parse(last.at) >= GIVEN_UP_AFTER_MS)
    return { kind: 'store', notice: closed(last), isGivenUp: true };
  if (last.next_try_at !== undefined && last.next_try_at > now.toISOString()) return nothing;
  return send({ ...last, changed_at: undefined }, now);
}

/** Returns how long an observation must last before it counts. */
const debounceMs = ({ is, isUrgent }: Seen): number => {
  if (is !== 'trouble') return RECOVERY_DEBOUNCE_MS;
  return isUrgent ? 0 : TROUBLE_DEBOUNCE_MS;
};

const initialNotice = ({ org_id, subject }: Seen, now: Date): Notice => ({
  org_id,
  subject,
  about: 'recovery',
  state: 'closed',
  at: now.toISOString(),
  reached: [],
  is_known: false,
  tries: 0,
  version: 0,
});
