import { nounless, nouns } from '../../../bin/admin/program.ts';
import type { Noun, Verb } from '../../../bin/admin/verb.ts';
import { read } from '../../infra/support/sources.ts';

/** Every verb by its words: `org create`, `assistant knowledge list`. */
const verbsOf = ({ name, verbs, groups = [] }: Noun): [words: string, verb: Verb][] => [
  ...verbs.map((verb): [string, Verb] => [`${name} ${verb.usage.split(' ')[0]}`, verb]),
  ...groups.flatMap(verbsOf).map(([words, verb]): [string, Verb] => [`${name} ${words}`, verb]),
];
const known = [...nouns.flatMap(verbsOf), ...nounless.map((verb): [string, Verb] => [verb.usage, verb])];
/** The verb at the beginning of a text, and its words. */
export const verbAt = (text: string): [words: string, verb: Verb] | undefined =>
  known.find(([words]) => text === words || text.startsWith(`${words} `));

const startsLikeOne = new RegExp(
  `^((${nouns.map(({ name }) => name).join('|')}) [a-z-]+|(${nounless.map(({ usage }) => usage).join('|')})($| --))`,
);

/** Outcomes of lead events, which resemble commands. */
const OUTCOME = /^call (queued|scheduled)$/;

export type Command = { page: string; command: string; isComplete: boolean };

const BLOCK = /^ *```.*?^ *```/gms;
const PROGRAM = /^npm run (--silent )?admin -- /;

/** Lists the commands of a page: complete ones in its blocks, and those in its sentences, which may omit flags. */
export function commandsOf(page: string): Command[] {
  const text = read(page).replaceAll('\\\n', ' ');
  const blocks = [...text.matchAll(BLOCK)].map(([block]) => block).join('\n');
  const sentences = text.replace(BLOCK, '');
  const found = (pattern: RegExp, within: string) =>
    [...within.matchAll(pattern)].map(([, command = '']) => command.replace(/ <.*/, '').replace(/\s+/g, ' ').trim());
  const complete = found(/npm run (?:--silent )?admin -- ([a-z](?:'[^']*'|"[^"]*"|[^'"|<>`\n])*)/g, blocks);
  const mentioned = found(/`([^`]+)`/g, sentences)
    .map((code) => code.replace(PROGRAM, ''))
    .filter((code) => startsLikeOne.test(code) && !OUTCOME.test(code));
  return [
    ...complete.map((command) => ({ page, command, isComplete: true })),
    ...mentioned.map((command) => ({ page, command, isComplete: false })),
  ];
}

/** Splits a command into words; a quoted text counts as one. */
export const wordsOf = (command: string): string[] =>
  [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );
