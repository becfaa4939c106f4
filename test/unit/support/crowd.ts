import { setImmediate as turn } from 'node:timers/promises';

type Queues<Message> = {
  /** The clock in milliseconds. */
  readonly ms: number;
  pass: (seconds: number) => void;
  /** The times of the pending messages, in milliseconds. */
  waiting: () => number[];
  /** Removes the due messages. */
  due: () => Message[];
  deliver: (message: Message) => Promise<unknown>;
  /** The number of workers that begin at the same moment, so that their requests overlap; by default 1. */
  together?: number;
};

/** Workers that take messages in order, several at once, while requests of some of them hang. */
export function crowd<Message>(queues: Queues<Message>) {
  const hanging: { until: number; end: () => void }[] = [];
  return {
    /** A request that takes time. @param seconds by the world's clock */
    hang: <Outcome>(outcome: Outcome, seconds = 10): Promise<Outcome> =>
      new Promise((resolve) => {
        hanging.push({ until: queues.ms + seconds * 1000, end: () => resolve(outcome) });
      }),

    /** Lets the workers work for some seconds. */
    async work(workers: number, seconds: number): Promise<void> {
      const end = queues.ms + seconds * 1000;
      const backlog: Message[] = [];
      let free = workers;
      for (;;) {
        await turn();
        backlog.push(...queues.due());
        while (free > 0 && backlog.length > 0) {
          for (const one of backlog.splice(0, Math.min(free, queues.together ?? 1))) {
            free -= 1;
            void queues.deliver(one).finally(() => {
              free += 1;
            });
          }
          await turn();
        }
        const next = Math.min(...queues.waiting(), ...hanging.map(({ until }) => until));
        if (!(next <= end)) break;
        queues.pass(Math.max(0, next - queues.ms) / 1000);
        for (const over of hanging.splice(0)) {
          if (over.until <= queues.ms) over.end();
          else hanging.push(over);
        }
      }
      queues.pass(Math.max(0, end - queues.ms) / 1000);
    },
  };
}
