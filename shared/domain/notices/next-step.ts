import type { Notice } from './notice.ts';

const MINUTE_MS = 60_000;
/** Longer than one e-mail takes with all its attempts. Each e-mail renews it. */
const LEASE_MS = 5 * MINUTE_MS;
/** A connection that is broken in one run and works in the next must not begin an episode. */
const TROUBLE_LASTS_MS = 10 * MINUTE_MS;
/** Calls hold and return credit: near the threshold, an episode must not end and begin with each call. */
const RECOVERY_LASTS_MS = 30 * MINUTE_MS;
/** Less than the time between two runs, so that the next one tries again. */
const FIRST_WAIT_MS = 10 * MINUTE_MS;
const LONGEST_WAIT_MS = 4 * 60 * MINUTE_MS;
const MOST_TRIES = 6;
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
  | { kind: 'note'; notice: Notice; isGivenUp?: boolean }
  /** Claim the notice, then send it. */
  | { kind: 'tell'; notice: Notice };

/**
 * Decides the next step from a run's observation and the last notice (docs/notices.md, "Episodes").
 * @param stored undefined if no notice about it was ever sent
 */
export function nextStep(stored: Notice | undefined, seen: Seen, now: Date): NoticeStep {
  const told = stored ?? calm(seen, now);
  const at = now.toISOString();
  if (told.leased_until !== undefined && told.leased_until > at) return { kind: 'nothing' };
  if (seen.is === 'gone') return told.about === 'recovery' && told.state === 'closed' ? nothing : close(told);
  const wanted = seen.is === 'trouble' ? 'trouble' : 'recovery';
  if (wanted === told.about) {
    if (told.state === 'open') return resume(told, now);
    return told.changed_at === undefined ? nothing : note({ ...told, changed_at: undefined });
  }
  const { changed_at = at } = told;
  if (now.getTime() - Date.parse(changed_at) < lasts(seen))
    return told.changed_at === undefined ? note({ ...told, changed_at }) : nothing;
  // People who were not notified of the problem get no all-clear; without an all-clear, they get no second notice.
  if (wanted === 'recovery' && !told.is_known) return close(told);
  if (wanted === 'trouble' && told.is_known)
    return { kind: 'note', notice: { ...closing(told), about: wanted, changed_at: undefined } };
  return tell({ ...told, about: wanted, state: 'open', at, changed_at: undefined, reached: [], tries: 0 }, now);
}

/** Returns the notice after an e-mail to one person. */
export const reaching = (notice: Notice, userId: string, now: Date): Notice => ({
  ...written(notice),
  reached: [...notice.reached, userId],
  is_known: notice.about === 'trouble',
  leased_until: new Date(now.getTime() + LEASE_MS).toISOString(),
});

export const closing = (notice: Notice): Notice => ({
  ...written(notice),
  state: 'closed',
  leased_until: undefined,
  next_try_at: undefined,
});

/**
 * Returns the notice after a try that did not reach everyone.
 * @param isRefused whether single addresses were refused, which counts as a try; false if sending was stopped
 */
export function puttingOff(notice: Notice, isRefused: boolean, now: Date): Notice {
  const tries = notice.tries + (isRefused ? 1 : 0);
  const wait = Math.min(FIRST_WAIT_MS * 2 ** Math.max(0, tries - 1), LONGEST_WAIT_MS);
  const next_try_at = new Date(now.getTime() + wait).toISOString();
  return { ...written(notice), tries, leased_until: undefined, next_try_at };
}

const nothing: NoticeStep = { kind: 'nothing' };
const written = (notice: Notice): Notice => ({ ...notice, version: notice.version + 1 });
const note = (notice: Notice): NoticeStep => ({ kind: 'note', notice: written(notice) });

const close = (told: Notice): NoticeStep => ({
  kind: 'note',
  notice: { ...closing(told), about: 'recovery', changed_at: undefined, reached: [], is_known: false, tries: 0 },
});

const tell = (notice: Notice, now: Date): NoticeStep => ({
  kind: 'tell',
  notice: {
    ...written(notice),
    leased_until: new Date(now.getTime() + LEASE_MS).toISOString(),
    next_try_at: undefined,
  },
});

/** Takes over a notice whose worker died, or whose next try is due. */
function resume(told: Notice, now: Date): NoticeStep {
  if (told.tries >= MOST_TRIES || now.getTime() - Date.parse(told.at) >= GIVEN_UP_AFTER_MS)
    return { kind: 'note', notice: closing(told), isGivenUp: true };
  if (told.next_try_at !== undefined && told.next_try_at > now.toISOString()) return nothing;
  return tell({ ...told, changed_at: undefined }, now);
}

const lasts = ({ is, isUrgent }: Seen): number => {
  if (is !== 'trouble') return RECOVERY_LASTS_MS;
  return isUrgent ? 0 : TROUBLE_LASTS_MS;
};

const calm = ({ org_id, subject }: Seen, now: Date): Notice => ({
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
