import type { FunctionName } from '../../lib/functions.ts';

/** A function, and texts that stand together in a line of its log. */
export type Expected = [name: FunctionName, ...texts: string[]];

/** Something that has happened, and what the log may and must hold of it. */
export type Scene = {
  /** Texts that no log may hold. */
  secrets: string[];
  /** What an operator finds. */
  expected: Expected[];
  /** Has its functions run once more. What a process writes late, the emulator takes for the next invocation's. */
  again: () => Promise<void>;
};
