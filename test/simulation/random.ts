export type Random = ReturnType<typeof randomOf>;

/** Creates a generator of pseudo-random numbers from a seed (mulberry32). */
export function randomOf(seed: number) {
  let state = seed >>> 0;
  /** @returns at least 0, below 1. */
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    whole,
    chance: (probability: number): boolean => next() < probability,
    pick: <Item>(items: readonly Item[]): Item => items[whole(0, items.length - 1)] as Item,
    /** Picks a key; its value is its weight. */
    weighted<Name extends string>(weights: Record<Name, number>): Name {
      const entries = Object.entries<number>(weights) as [Name, number][];
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [name, weight] of entries) {
        left -= weight;
        if (left < 0) return name;
      }
      return (entries.at(-1) as [Name, number])[0];
    },
  };
}
