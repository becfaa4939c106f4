import type { Call } from '../call.ts';

/** Calls by REST precede leads' calls, because a client waits for them and they expire earlier. */
export const waitingClasses = ['1-rest', '2-lead'] as const;
export type WaitingClass = (typeof waitingClasses)[number];

/**
 * The keys of a waiting call in the index of its organization's waiting calls. They sort in the order of the dials:
 * REST before leads, then by the instant from which the call may be dialed.
 */
export type WaitingPlace = { waiting_org: string; waiting_turn: string };

export const waitingPlaceOf = (
  { org_id, lead }: Pick<Call, 'org_id'> & { lead?: unknown },
  dialAfter: string,
): WaitingPlace => ({
  waiting_org: org_id,
  waiting_turn: placeAt(lead ? '2-lead' : '1-rest', dialAfter),
});

/** @param instant ISO 8601. */
export const placeAt = (of: WaitingClass, instant: string): string => `${of}#${instant}`;

/** The attributes of WaitingPlace, which only a call that waits for a slot has. */
export const waitingPlaceAttributes = ['waiting_org', 'waiting_turn'] as const;
