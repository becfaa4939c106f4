import type { Command } from 'commander';
import { type Cloud, openCloud, type Where } from './cloud.ts';
import { explain, WrongUsage } from './failures.ts';
import { write } from './output.ts';

/** What a command found or did: for scripts, and for people. */
export type Answer = { json: object; people: string };

/** The flags of every command. */
export type CommonFlags = Where & { json?: boolean };

/**
 * A new verb of a noun, with the flags that every command has.
 * @param usage its name and arguments. @param ownRegion the verb has a `--region` of another meaning than AWS's.
 */
export function verb(noun: Command, usage: string, summary: string, { ownRegion = false } = {}): Command {
  const command = noun
    .command(usage)
    .description(summary)
    .option('--json', 'answer with one JSON document')
    .option('--stage <name>', 'a stage in the AWS account of the usual credentials (default: the local cloud, or prod)')
    .option('--aws-region <name>', 'region of the stage');
  return ownRegion ? command : command.option('--region <name>', 'the same as --aws-region');
}

/**
 * The action of a verb: opens the cloud, acts, and writes the answer.
 * @param act gets the flags, and the verb's argument where it has one.
 */
export function acting<Flags extends object>(
  act: (cloud: Cloud, flags: Flags & CommonFlags, argument: string) => Promise<Answer>,
  { ownRegion = false } = {},
) {
  return async (...given: unknown[]): Promise<void> => {
    const flags = given.at(-2) as Flags & CommonFlags;
    refuseSwallowedFlags(given.at(-1) as Command, flags);
    const argument = given.length > 2 ? String(given[0]) : '';
    const { region, ...elsewhere } = flags;
    const cloud = openCloud(ownRegion ? elsewhere : flags);
    let answer: Answer;
    try {
      answer = await act(cloud, flags, argument);
    } catch (error) {
      throw explain(error, cloud.place);
    }
    await write(process.stdout, `${flags.json ? JSON.stringify(answer.json, undefined, 2) : answer.people}\n`);
  };
}

/** In a script with an empty variable, `--org $ORG --json` makes `--json` the org. */
function refuseSwallowedFlags(command: Command, flags: object): void {
  for (const option of command.options) {
    const value = (flags as Record<string, unknown>)[option.attributeName()];
    if (command.options.some(({ long }) => long === value))
      throw new WrongUsage(`error: option '${option.flags}' argument missing`);
  }
}

/** @throws WrongUsage where an update names nothing to change. */
export function needsSome(changes: object, flags: string): void {
  if (Object.values(changes).every((value) => value === undefined))
    throw new WrongUsage(`error: nothing to change: give at least one of ${flags}`);
}
