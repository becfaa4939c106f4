/** An exclusive right, stored in the Claims table under its key. */
export type Claim = {
  /** The key. */
  claim: string;
  /** Who holds it: a lead event, or a call where calls compete for a record of the help desk. */
  owner_id: string;
  /** The call that it serves. */
  call_id: string;
  /** ISO 8601. */
  at: string;
  /** Epoch seconds. */
  expires_at: number;
};

/**
 * Longer than an Activity entry lives: an event that is queued again from its entry must still meet its day's claims.
 */
const KEPT_SECONDS = 92 * 24 * 60 * 60;
const PASSING_SECONDS = 7 * 24 * 60 * 60;

type Taken = { ownerId: string; callId: string; now: Date };

export const claimFor = (key: string, { ownerId, callId, now }: Taken): Claim => ({
  claim: key,
  owner_id: ownerId,
  call_id: callId,
  at: now.toISOString(),
  expires_at: Math.floor(now.getTime() / 1000) + KEPT_SECONDS,
});

/**
 * Makes a claim that decides nothing any more after some time, and is removed seven days later
 * (docs/personal-data.md, "What is only in passing").
 * @param until when it decides for the last time.
 */
export const passingClaimFor = (key: string, taken: Taken, until: Date): Claim => ({
  ...claimFor(key, taken),
  expires_at: Math.floor(until.getTime() / 1000) + PASSING_SECONDS,
});
