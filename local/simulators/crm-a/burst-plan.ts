import { LEAD_NUMBERS, type LeadFields, newLead } from './payloads.ts';

export type BurstWishes = {
  posts: number;
  /** Percent of the posts that repeat the body of an earlier one. */
  duplicates: number;
  /** Percent of the distinct leads that have the phone of an earlier lead. */
  sharedPhones: number;
  /** The number of the first lead. It determines the burst. */
  seed: number;
  owner: string;
  at: Date;
};

/** Plans the bodies of a burst, in the order of sending. The first is a lead with a phone of its own. */
export function planBurst({ posts, duplicates, sharedPhones, seed, owner, at }: BurstWishes): LeadFields[] {
  const random = randomFrom(seed);
  const repeats = drawn(posts, shareOf(duplicates, posts), random);
  const distinct = posts - repeats.size;
  const sharing = drawn(distinct, shareOf(sharedPhones, distinct), random);

  const leads: LeadFields[] = [];
  const phones: string[] = [];
  for (let index = 0; index < distinct; index++) {
    const phone = sharing.has(index) ? anyOf(phones, random) : undefined;
    const lead = newLead({ number: (seed + index) % LEAD_NUMBERS, owner, at, phone });
    leads.push(lead);
    if (phone === undefined) phones.push(lead.Phone as string);
  }

  const bodies: LeadFields[] = [];
  let next = 0;
  for (let post = 0; post < posts; post++)
    bodies.push(repeats.has(post) ? anyOf(bodies, random) : (leads[next++] as LeadFields));
  return bodies;
}

/** Returns a percentage of a count, but at most `count - 1`: the first body has nothing to repeat. */
const shareOf = (percent: number, count: number): number => Math.min(Math.round((count * percent) / 100), count - 1);

/** Draws `wanted` different whole numbers from 1 to below `count`. */
function drawn(count: number, wanted: number, random: () => number): Set<number> {
  const left = Array.from({ length: Math.max(count - 1, 0) }, (_, index) => index + 1);
  const taken = new Set<number>();
  while (taken.size < wanted) taken.add(left.splice(Math.floor(random() * left.length), 1)[0] as number);
  return taken;
}

const anyOf = <T>(list: readonly T[], random: () => number): T => list[Math.floor(random() * list.length)] as T;

/** Makes numbers from 0 to below 1. The same seed gives the same numbers (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
