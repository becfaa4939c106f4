/** A work queue: the events routed to it, and the time-out of its worker. */
type QueueRow = {
  /** Time-out of the worker in seconds. The visibility time-out is six times as long (Lambda guide, "SQS"). */
  workerTimeoutSeconds: number;
  /** The former name, which the deployed queue keeps, because a new queue would not have its messages. */
  deployedAs?: string;
  /** Detail types that a rule routes from the bus `calls`; absent if only functions and schedules send. */
  events?: readonly string[];
  /**
   * The flag that events must have to be routed: the call has a callback URL (`notify`), has a CRM-B lead (`crm_b`), or
   * may become a ticket (`ticket`).
   */
  only?: 'notify' | 'crm_b' | 'ticket';
};

const ended = ['completed', 'transferred', 'no_answer', 'busy', 'failed', 'canceled'].map((status) => `call.${status}`);

export const queues = {
  'lead-events': { workerTimeoutSeconds: 30, deployedAs: 'leads' },
  releases: { workerTimeoutSeconds: 30, events: ['call.scheduled'] },
  // A page of 200 calls, one transaction each.
  'switch-offs': { workerTimeoutSeconds: 60 },
  dial: { workerTimeoutSeconds: 40 },
  'voice-events': { workerTimeoutSeconds: 30 },
  slots: { workerTimeoutSeconds: 30, events: ['call.queued', ...ended, 'call.given_back'] },
  // For copying the recording; the model's 24 s run in parallel.
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

/** Returns the queue's row, typed with its optional members. */
export const queueRow = (name: QueueName): QueueRow => queues[name];

/** Returns the name under which a queue is deployed. Other sources of dead letters have only one name. */
export const deployedName = (source: string): string =>
  (Object.hasOwn(queues, source) && queueRow(source as QueueName).deployedAs) || source;

/** Deliveries of a message before it moves to the dead-letter queue. */
export const MAX_DELIVERIES = 5;
