import { isTerminal } from './call-status.ts';

/** The phases of an unfinished call: live from the wait for a line to the end, or scheduled for a call window. */
export const callPhases = ['live', 'scheduled'] as const;

export type CallPhase = (typeof callPhases)[number];

/** Returns whether a call is in a phase. */
export const isInPhase = ({ status }: { status: string }, phase: CallPhase): boolean =>
  phase === 'scheduled' ? status === 'scheduled' : !isTerminal(status) && status !== 'scheduled';
