/** How far a call has come. Equal ranks are alternatives: the first one to arrive stands (docs/call-lifecycle.md). */
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

const terminalRank = rank.completed;

/** The statuses in which a call ends. */
export type TerminalStatus = 'completed' | 'transferred' | 'no_answer' | 'busy' | 'failed' | 'canceled';

export const rankOf = (status: CallStatus): number => rank[status];

export const isTerminal = (status: CallStatus): status is TerminalStatus => rank[status] === terminalRank;

/** Whether `next` may replace `current`. A call only ever moves up, so late and repeated platform messages change nothing. */
export const mayBecome = (current: CallStatus, next: CallStatus): boolean => rank[next] > rank[current];

/** Every status that `next` may replace: what a conditional write asks for. */
export const statusesBelow = (next: CallStatus): CallStatus[] =>
  callStatuses.filter((status) => mayBecome(status, next));

/** The statuses that are not an end. */
export const openStatuses: CallStatus[] = callStatuses.filter((status) => !isTerminal(status));
