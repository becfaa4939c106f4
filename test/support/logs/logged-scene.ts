import type { FunctionName } from '../../../lib/functions.ts';

/** A function, and texts that one line of its log contains. */
export type Expected = [name: FunctionName, ...texts: string[]];

/** A scenario, and the values that the logs must and must not contain. */
export type Scene = {
  /** Texts that no log may contain. */
  secrets: string[];
  /** Lines that the logs must contain, because operators search for them. */
  expected: Expected[];
  /** Runs the functions once more, because the emulator attributes late output to the next invocation. */
  again: () => Promise<void>;
};
