/** How many entries one request of a list reads. */
export type SliceSize = {
  /** Of the first step: most filters find a page of matches in it. */
  first: number;
  /** Of all steps. */
  most: number;
};

/** Bounds what one request of a list reads: see `sliceOf`. */
export type Slice = {
  /** @returns how many entries the next step may read; undefined where the request has read enough. */
  next(): number | undefined;
  /** Notes how many the step has read: a page ends at 1 MB (DynamoDB, Query). */
  took(entries: number): void;
};

/** A list that checks a filter on what it reads. */
export const filteredSlice: SliceSize = { first: 200, most: 1000 };

/** A list of which all is counted. */
export const countedSlice: SliceSize = { first: 1000, most: 1000 };

/** A list that shows all that it reads: the first step is enough, unless its entries are large. */
export const pageSlice = (limit: number): SliceSize => ({ first: limit, most: 5 * limit });

const MOST_STEPS = 5;
/** No step begins later than this after the request. So a slow table makes slices shorter, and not slower. */
const MOST_MS = 400;

/**
 * Bounds what one request of a list reads, by count and by time, so that a filter that matches nothing is answered soon
 * (docs/dashboard.md, "Routes"). The first step is always read: the next request goes on where this one ends.
 */
export function sliceOf({ first, most }: SliceSize, now: () => Date): Slice {
  const end = now().getTime() + MOST_MS;
  let steps = 0;
  let left = most;
  return {
    next(): number | undefined {
      steps += 1;
      if (steps === 1) return first;
      return steps > MOST_STEPS || left <= 0 || now().getTime() >= end ? undefined : left;
    },
    took(entries: number): void {
      left -= entries;
    },
  };
}
