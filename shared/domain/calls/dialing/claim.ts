/** An exclusive right, stored in the Claims table under its key. */
export type Claim = {
  /** The key in the table. */
  claim: string;
  /** The holder: a lead event, or a call if calls compete for a record of the help desk. */
  owner_id: string;
  /** The call that it serves. */
  call_id: string;
  /** ISO 8601. */
  at: string;
  /** Epoch seconds. */
  expires_at: number;
};

/**
 * The days for which a claim is stored: longer than an Activity entry lives, so that an event that is queued again from
 * its entry still meets the claims of its day.
 */
export const CLAIM_DAYS = 92;
const KEPT_SECONDS = CLAIM_DAYS * 24 * 60 * 60;
const PASSING_SECONDS = 7 * 24 * 60 * 60;

type Taken = { ownerId: string; callId: string; now: Date };

/** Returns when the table removes a claim that was taken at this time, in epoch seconds. */
export const claimExpiry = (at: Date): number => Math.floor(at.getTime() / 1000) + KEPT_SECONDS;

export const claimFor = (key: string, { ownerId, callId, now }: Taken): Claim => ({
  claim: key,
  owner_id: ownerId,
  call_id: callId,
  at: now.toISOString(),
  expires_at: claimExpiry(now),
});

/**
 * Builds a claim that counts until an instant, and is removed seven days later (docs/personal-data.md, "Short-lived
 * data").
 * @param until the last instant at which it counts
 */
export const expiringClaimFor = (key: string, taken: Taken, until: Date): Claim => ({
  ...claimFor(key, taken),
  expires_at: Math.floor(until.getTime() / 1000) + PASSING_SECONDS,
});
