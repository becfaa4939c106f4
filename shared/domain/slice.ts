/** The number of entries that one request of a list reads. */
export type SliceSize = {
  /** The first step, in which most filters find a page of matches. */
  first: number;
  /** All steps together. */
  most: number;
};

/** Bounds what one request of a list reads: see `sliceOf`. */
export type Slice = {
  /** Returns how many entries the next step may read; undefined if the request has read enough. */
  next(): number | undefined;
  /** Records how many entries the step has read: perhaps fewer, because a page ends at 1 MB (DynamoDB, Query). */
  took(entries: number): void;
};

/** A list that filters the entries it reads. */
export const filteredSlice: SliceSize = { first: 200, most: 1000 };

/** A list that is counted in full. */
export const countedSlice: SliceSize = { first: 1000, most: 1000 };

/** Returns the slice of a list that shows every entry it reads: the first step is enough, unless entries are large. */
export const pageSlice = (limit: number): SliceSize => ({ first: limit, most: 5 * limit });

const MAX_STEPS = 5;
/** No step begins later than this after the request, so that a slow table shortens slices instead of delaying them. */
const MAX_MS = 400;

/**
 * Bounds the reads of one list request, by count and by time, so that a filter without matches is answered soon
 * (docs/dashboard.md, "Routes"). The first step is always read: the next request continues where this one ends.
 */
export function sliceOf({ first, most }: SliceSize, now: () => Date): Slice {
  const end = now().getTime() + MAX_MS;
  let steps = 0;
  let left = most;
  return {
    next(): number | undefined {
      steps += 1;
      if (steps === 1) return first;
      return steps > MAX_STEPS || left <= 0 || now().getTime() >= end ? undefined : left;
    },
    took(entries: number): void {
      left -= entries;
    },
  };
}
