/** The order of statuses. Equal ranks are alternatives: the first to arrive is final (docs/call-lifecycle.md). */
const rank = {
  scheduled: 0,
  queued: 1,
  dialing: 2,
  ringing: 3,
  in_progress: 4,
  completed: 5,
  transferred: 5,
  no_answer: 5,
  busy: 5,
  failed: 5,
  canceled: 5,
} as const;

export type CallStatus = keyof typeof rank;

export const callStatuses = Object.keys(rank) as [CallStatus, ...CallStatus[]];

export const terminalStatuses = ['completed', 'transferred', 'no_answer', 'busy', 'failed', 'canceled'] as const;

export type TerminalStatus = (typeof terminalStatuses)[number];

export const rankOf = (status: CallStatus): number => rank[status];

/** Returns whether a status is known to be terminal. A status of a newer version is not. */
export const isTerminal = (status: string): status is TerminalStatus =>
  terminalStatuses.some((terminal) => terminal === status);

/**
 * Returns whether `next` may replace `current`. A status only advances, so late and repeated messages change nothing.
 */
export const mayBecome = (current: CallStatus, next: CallStatus): boolean => rank[next] > rank[current];

/** Lists the statuses that `next` may replace, for conditional writes. */
export const statusesBelow = (next: CallStatus): CallStatus[] =>
  callStatuses.filter((status) => mayBecome(status, next));

export const openStatuses: CallStatus[] = callStatuses.filter((status) => !isTerminal(status));
