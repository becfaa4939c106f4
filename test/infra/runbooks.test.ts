import { CommanderError } from 'commander';
import { adminProgram, commonOptions, nounless, nouns } from '../../bin/admin/program.ts';
import type { Noun, Verb } from '../../bin/admin/verb.ts';
import { filesBelow, read } from './support/sources.ts';

/** Every verb by its words: `org create`, `assistant knowledge list`. */
const verbsOf = ({ name, verbs, groups = [] }: Noun): [words: string, verb: Verb][] => [
  ...verbs.map((verb): [string, Verb] => [`${name} ${verb.usage.split(' ')[0]}`, verb]),
  ...groups.flatMap(verbsOf).map(([words, verb]): [string, Verb] => [`${name} ${words}`, verb]),
];
const known = [...nouns.flatMap(verbsOf), ...nounless.map((verb): [string, Verb] => [verb.usage, verb])];
const verbOf = (text: string): Verb | undefined =>
  known.find(([words]) => text === words || text.startsWith(`${words} `))?.[1];
const startsLikeOne = new RegExp(`^(${nouns.map(({ name }) => name).join('|')}) [a-z-]+`);

/** Outcomes of lead events, which look like commands. */
const OUTCOME = /^call (queued|scheduled)$/;

type Command = { page: string; command: string; isComplete: boolean };

/** The commands of a page: complete ones in its blocks, and those in its sentences, which may leave out flags. */
function commandsOf(page: string): Command[] {
  const text = read(page).replaceAll('\\\n', ' ');
  const blocks = [...text.matchAll(/^```.*?^```/gms)].map(([block]) => block).join('\n');
  const sentences = text.replace(/^```.*?^```/gms, '');
  const found = (pattern: RegExp, within: string) =>
    [...within.matchAll(pattern)].map(([, command = '']) => command.replace(/ <.*/, '').replace(/\s+/g, ' ').trim());
  const complete = found(/npm run (?:--silent )?admin -- ([a-z](?:'[^']*'|"[^"]*"|[^'"|<>`\n])*)/g, blocks);
  const mentioned = found(/`([^`]+)`/g, sentences).filter(
    (code) => startsLikeOne.test(code) && !code.includes('…') && !OUTCOME.test(code),
  );
  return [
    ...complete.map((command) => ({ page, command, isComplete: true })),
    ...mentioned.map((command) => ({ page, command, isComplete: false })),
  ];
}

const pages = filesBelow('docs', '.md').filter((page) => !page.startsWith('docs/decisions/'));
const commands = pages.flatMap(commandsOf);

/** Splits a command into words; a quoted text is one. */
const wordsOf = (command: string): string[] =>
  [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );

/** Parses a command as `admin` does, and runs nothing. @returns what is wrong with it. */
async function problemOf(command: string): Promise<string | undefined> {
  const silent = { writeOut: () => {}, writeErr: () => {} };
  try {
    await adminProgram(silent, async () => {}).parseAsync(wordsOf(command), { from: 'user' });
    return undefined;
  } catch (error) {
    if (error instanceof CommanderError) return error.message;
    return String(error);
  }
}

/** The first flag of a mentioned command that its verb does not have. */
function unknownFlagOf(command: string): string | undefined {
  const flags = [...(verbOf(command)?.options ?? []), ...commonOptions].map(({ long }) => long);
  return wordsOf(command).find((word) => word.startsWith('--') && !flags.includes(word));
}

describe('the commands of the documents', () => {
  it('exist', () => {
    expect(commands.filter(({ page }) => page.startsWith('docs/runbooks/')).length).toBeGreaterThan(50);
    expect(commands.filter(({ command }) => !verbOf(command))).toEqual([]);
  });

  it('have only flags that the parser knows, and in blocks all that it requires', async () => {
    expect(commands.filter(({ isComplete }) => isComplete).length).toBeGreaterThan(20);
    const problems = await Promise.all(
      commands.map(async ({ page, command, isComplete }) => {
        const problem = await problemOf(command);
        const isLeftOut =
          !isComplete && /required option|missing required argument|argument missing/.test(problem ?? '');
        return { page, command, problem: isLeftOut ? undefined : problem };
      }),
    );
    expect(problems.filter(({ problem }) => problem !== undefined)).toEqual([]);
  });

  it('are refused by the parser if a flag is wrong, so that this test sees one', async () => {
    expect(await problemOf('call show --call CALL_ID --now')).toMatch('unknown option');
    expect(unknownFlagOf('call show --cal CALL_ID')).toBe('--cal');
    expect(await problemOf('call show')).toMatch('--call');
  });
});
