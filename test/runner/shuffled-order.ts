import fc from 'fast-check';

type TestFile = { path: string };

/** A jest `testSequencer` that runs the test files in a random order, which the seed of the run decides. */
export default class ShuffledOrder {
  readonly #seed: number;

  constructor({ globalConfig }: { globalConfig: { seed: number } }) {
    this.#seed = globalConfig.seed;
  }

  sort<File extends TestFile>(files: File[]): File[] {
    const sorted = [...files].sort((a, b) => (a.path < b.path ? -1 : 1));
    const order = fc.shuffledSubarray(sorted, { minLength: sorted.length });
    return fc.sample(order, { seed: this.#seed, numRuns: 1 })[0] ?? [];
  }

  allFailedTests<File extends TestFile>(files: File[]): File[] {
    return files;
  }

  /** Stores no durations: the default order uses those of earlier runs, this one does not. */
  cacheResults(): void {}
}
