/** A queue of work: who puts messages on it and how long its worker may take for one delivery. */
type QueueRow = {
  /** Seconds; the worker's time-out. Messages are invisible for six times as long (Lambda guide, SQS event sources). */
  workerTimeoutSeconds: number;
  /** Detail types of the bus `calls` that a rule puts on the queue; none = only functions and schedules do. */
  events?: readonly string[];
  /** Only events that have this flag: of calls whose client wants to be told, that CRM-B or the help desk is told of. */
  only?: 'notify' | 'crm_b' | 'ticket';
};

const ended = ['completed', 'transferred', 'no_answer', 'busy', 'failed', 'canceled'].map((status) => `call.${status}`);

export const queues = {
  leads: { workerTimeoutSeconds: 30 },
  releases: { workerTimeoutSeconds: 30, events: ['call.scheduled'] },
  dial: { workerTimeoutSeconds: 40, events: ['call.queued'] },
  'voice-events': { workerTimeoutSeconds: 30 },
  slots: { workerTimeoutSeconds: 30, events: [...ended, 'call.given_back'] },
  // The recording's copy needs it; the model's 24 s pass meanwhile.
  finish: { workerTimeoutSeconds: 75, events: ended },
  'crm-b-sync': { workerTimeoutSeconds: 60, events: ['call.finished'], only: 'crm_b' },
  tickets: { workerTimeoutSeconds: 75, events: ['call.finished'], only: 'ticket' },
  callbacks: {
    workerTimeoutSeconds: 30,
    events: ['call.dialing', 'call.ringing', 'call.in_progress', ...ended, 'call.analyzed'],
    only: 'notify',
  },
} as const satisfies Record<string, QueueRow>;

export type QueueName = keyof typeof queues;

/** @returns the queue's row with its optional members. */
export const queueRow = (name: QueueName): QueueRow => queues[name];

/** Deliveries of a message before it goes to the dead letters. */
export const MOST_DELIVERIES = 5;
