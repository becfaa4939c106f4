import { type Revealed, revealedIn } from './log-canaries.ts';

const revealed: Revealed[] = [];

/**
 * Searches a line that an operation logs in a test; the test fails at its end if the line reveals a secret or a person.
 */
export const searchLine = (line: object): void => void revealed.push(...revealedIn(JSON.stringify(line), []));

/** @returns the values that the lines since the previous call reveal */
export const takeRevealed = (): Revealed[] => revealed.splice(0);
