import { CommanderError } from 'commander';
import { adminProgram, commonOptions } from '../../bin/admin/program.ts';
import { commandsOf, verbAt, wordsOf } from '../support/admin/documented-commands.ts';
import { filesBelow } from './support/sources.ts';

const pages = filesBelow('docs', '.md').filter((page) => !page.startsWith('docs/decisions/'));
const commands = pages.flatMap(commandsOf);

/** Parses a command as `admin` does, without running it. @returns the error, if any */
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
  const flags = [...(verbAt(command)?.[1].options ?? []), ...commonOptions].map(({ long }) => long);
  return wordsOf(command).find((word) => word.startsWith('--') && !flags.includes(word));
}

describe('the commands of the documents', () => {
  it('exist', () => {
    expect(commands.filter(({ page }) => page.startsWith('docs/runbooks/')).length).toBeGreaterThan(50);
    expect(commands.filter(({ command }) => !verbAt(command))).toEqual([]);
  });

  it('use only flags that the parser knows, and in blocks all that it requires', async () => {
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

  it('are refused by the parser if a flag is wrong, which proves that this test can fail', async () => {
    expect(await problemOf('call show --call CALL_ID --now')).toMatch('unknown option');
    expect(unknownFlagOf('call show --cal CALL_ID')).toBe('--cal');
    expect(await problemOf('call show')).toMatch('--call');
  });
});
