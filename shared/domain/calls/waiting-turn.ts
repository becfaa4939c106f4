import type { Call } from './call.ts';

/** Calls by REST go before leads' calls: a client waits for them, and they expire earlier. */
export const waitingClasses = ['1-rest', '2-lead'] as const;
export type WaitingClass = (typeof waitingClasses)[number];

/**
 * The keys of a waiting call in the index of its organization's waiting calls. They sort in the order of the dials:
 * REST before leads, then by the instant from which the call may be dialed.
 */
export type WaitingTurn = { waiting_org: string; waiting_turn: string };

export const waitingTurnOf = ({ org_id, lead }: Pick<Call, 'org_id' | 'lead'>, dialAfter: string): WaitingTurn => ({
  waiting_org: org_id,
  waiting_turn: turnAt(lead ? '2-lead' : '1-rest', dialAfter),
});

/** @param instant ISO 8601. */
export const turnAt = (of: WaitingClass, instant: string): string => `${of}#${instant}`;

/** The attributes of WaitingTurn, which only a call that waits for a slot has. */
export const waitingTurnAttributes = ['waiting_org', 'waiting_turn'] as const;
