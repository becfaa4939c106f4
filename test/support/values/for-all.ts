import fc from 'fast-check';

type Values = [unknown, ...unknown[]];
type Arbitraries<V extends Values> = { [Index in keyof V]: fc.Arbitrary<V[Index]> };
/** Throws or returns false if the values violate it. */
type Rule<V extends Values> = (...values: V) => boolean | undefined;

/** Checks a rule with random values, 100 times by default. */
export function forAll<V extends Values>(
  arbitraries: Arbitraries<V>,
  ...given: [Rule<V>] | [options: { numRuns: number }, Rule<V>]
): void {
  const [options, rule] = given.length === 2 ? given : [undefined, given[0]];
  fc.assert(fc.property(...arbitraries, rule), options);
}
