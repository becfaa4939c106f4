import type { Tone } from './tones.ts';

/** @returns the entry of a name; undefined for a name that a newer version of the service wrote */
export const known = <Found>(all: Readonly<Record<string, Found>>, name: string): Found | undefined =>
  Object.hasOwn(all, name) ? all[name] : undefined;

/** @returns the words for a name; a name that a newer version of the service wrote is returned unchanged */
export const nameIn = (names: Readonly<Record<string, string>>, name: string): string => known(names, name) ?? name;

type Words = { name: string; tone: Tone };

/** @returns the words for a state; a state that a newer version of the service wrote is its own name, in plain tone */
export const wordsIn = (words: Readonly<Record<string, Words>>, name: string): Words =>
  known(words, name) ?? { name, tone: 'plain' };
