import { setImmediate as turnEventLoop } from 'node:timers/promises';

type Happening = { at: number; order: number; act: () => void };

export type Timeline = ReturnType<typeof timeline>;

/** Node.js checks signals, time-outs and unhandled errors only between turns of the event loop. */
const HAPPENINGS_PER_TURN = 1_000;

/**
 * Resolves when the due promise jobs have run, with those that they cause: Node.js calls `nextTick` only when no
 * promise job is left. A turn of the event loop would cost more than most events.
 */
const promiseJobs = () => new Promise<void>((resolve) => queueMicrotask(() => process.nextTick(resolve)));

/** A virtual clock and its scheduled events; the next event is the earliest one. Times are in milliseconds. */
export function timeline(startMs: number) {
  const heap: Happening[] = [];
  let [now, order] = [startMs, 0];

  const isEarlier = (one: Happening, other: Happening) =>
    one.at < other.at || (one.at === other.at && one.order < other.order);

  const push = (happening: Happening): void => {
    let place = heap.push(happening) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = heap[parent] as Happening;
      if (isEarlier(above, happening)) break;
      heap[place] = above;
      place = parent;
    }
    heap[place] = happening;
  };

  const pop = (): Happening | undefined => {
    const first = heap[0];
    const last = heap.pop();
    if (!first || !last || first === last) return first;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      const [left, right] = [heap[child], heap[child + 1]];
      if (!left) break;
      if (right && isEarlier(right, left)) child += 1;
      const below = heap[child] as Happening;
      if (isEarlier(last, below)) break;
      heap[place] = below;
      place = child;
    }
    heap[place] = last;
    return first;
  };

  return {
    get ms(): number {
      return now;
    },
    date: (): Date => new Date(now),
    after: (delayMs: number, act: () => void): void => push({ at: now + Math.max(0, delayMs), order: order++, act }),
    /** Runs events until none is left, or the condition holds. */
    async run(isOver: () => boolean): Promise<void> {
      for (let happenings = 1; !isOver(); happenings += 1) {
        const happening = pop();
        if (!happening) return;
        now = happening.at;
        happening.act();
        // The processes run as far as they can before the next event.
        await (happenings % HAPPENINGS_PER_TURN === 0 ? turnEventLoop() : promiseJobs());
      }
    },
  };
}
