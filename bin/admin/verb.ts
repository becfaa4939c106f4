import { Option } from 'commander';
import type { Cloud, Where } from './cloud/cloud.ts';
import { WrongUsage } from './failures.ts';
import type { InputLimit } from './input.ts';

/** The result of a command: `json` for scripts, `people` for a terminal. `isFailure` makes the exit code 1. */
export type Answer = { json: object; people: string; isFailure?: boolean };

/** The flags of every command. `region` means the AWS region unless the verb has a `--region` of its own. */
export type CommonFlags = Where & { json?: boolean };

/** The parts of an invocation besides its flags. */
export type Invocation = {
  /** The verb's argument; empty if it has none. */
  argument: string;
  /**
   * Reads all of standard input.
   * @param prompt shown first if a person types
   * @param limit 1 MB by default. @throws Refusal invalid_value beyond it
   */
  readInput: (prompt: string, limit?: InputLimit) => Promise<string>;
};

/** A command of a noun: its usage, its options and its action. */
export type Verb<Flags extends object = object> = {
  /** The name, followed by the argument: `run <name>`. */
  usage: string;
  summary: string;
  options?: readonly Option[];
  /** True if the verb's own `--region` does not mean the AWS region. */
  ownsRegion?: boolean;
  act(cloud: Cloud, flags: Flags & CommonFlags, invocation: Invocation): Promise<Answer>;
};

/** A group of commands, for example `org`. `groups`: subgroups, such as `assistant knowledge`. */
export type Noun = { name: string; summary: string; verbs: readonly Verb[]; groups?: readonly Noun[] };

/** Types the flags that a verb's action receives. */
export const verb = <Flags extends object = object>(definition: Verb<Flags>): Verb => definition;

export const optional = (flags: string, description: string, standard?: string): Option =>
  new Option(flags, description).default(standard);

export const required = (flags: string, description: string): Option =>
  new Option(flags, description).makeOptionMandatory();

export type OfOrg = { org: string };
export const orgOption = required('--org <id>', 'organization ID');

export type OfNumber = OfOrg & { phone: string };
export const phoneOption = required(
  '--phone <number>',
  "phone number in any usual form; without a country code, a number of the organization's region",
);

export type OfConnection = { connection: string };
export const connectionOption = required('--connection <id>', 'connection ID');

/** @throws WrongUsage if an update names no change */
export function requireChange(changes: object, flags: string): void {
  if (Object.values(changes).every((value) => value === undefined))
    throw new WrongUsage(`error: nothing to change: give at least one of ${flags}`);
}
