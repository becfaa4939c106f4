import { randomOf } from './random.ts';
import type { Timeline } from './timeline.ts';

const MINUTE_MS = 60_000;

/** From this seed on, deployments change the slots in one world in this many. Documents name earlier worlds. */
const [RESIZED, FIRST_RESIZED] = [4, 501];
const MAX_DEPLOYMENTS = 3;
/** A worker keeps the number with which it began, and no worker runs longer than recover-calls. */
const KEPT_MS = 14 * MINUTE_MS;

/** The most live calls of the stage: a setting of its deployment. */
export type StageSlots = {
  present: () => number;
  /** The lowest and the highest number that a worker may have had since an instant, in milliseconds. */
  since: (fromMs: number) => { least: number; most: number };
};

export const constantSlots = (slots: number): StageSlots => ({
  present: () => slots,
  since: () => ({ least: slots, most: slots }),
});

/**
 * Decides the slots of a world, and when deployments change their number. It may become so high that hand-overs reserve
 * the slots in steps.
 */
export function stageSlotsOf(timeline: Timeline, seed: number, first: number): StageSlots {
  if (seed < FIRST_RESIZED || seed % RESIZED !== FIRST_RESIZED % RESIZED) return constantSlots(first);
  // Its own generator, so that the other events of the world stay the same.
  const random = randomOf(-seed);
  const sizes = [{ slots: first, untilMs: Number.POSITIVE_INFINITY }];
  const present = () => (sizes.at(-1) as (typeof sizes)[number]).slots;
  const deploy = (): void => {
    for (const size of sizes.slice(-1)) size.untilMs = timeline.ms;
    sizes.push({ slots: random.whole(1, random.pick([4, 12, 40])), untilMs: Number.POSITIVE_INFINITY });
  };
  for (let left = random.whole(1, MAX_DEPLOYMENTS); left > 0; left -= 1)
    timeline.after(random.whole(1, 90) * MINUTE_MS, deploy);
  return {
    present,
    since: (fromMs) => {
      const counted = sizes.filter(({ untilMs }) => untilMs >= fromMs - KEPT_MS).map(({ slots }) => slots);
      return { least: Math.min(...counted), most: Math.max(...counted) };
    },
  };
}
