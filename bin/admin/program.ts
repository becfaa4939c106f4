import { Command, Option } from 'commander';
import { assistant } from './commands/assistant/assistant.ts';
import { audit } from './commands/audit.ts';
import { call } from './commands/call/call.ts';
import { connection } from './commands/connection/connection.ts';
import { dialing } from './commands/dialing.ts';
import { dnc } from './commands/dnc/dnc.ts';
import { doctor } from './commands/doctor/doctor.ts';
import { key } from './commands/key.ts';
import { org } from './commands/org/org.ts';
import { person } from './commands/person/person.ts';
import { queue } from './commands/queue/queue.ts';
import { receipt } from './commands/receipt.ts';
import { schedule } from './commands/schedule.ts';
import { secret } from './commands/secret.ts';
import { stackTrace } from './commands/stack-trace/stack-trace.ts';
import { stage } from './commands/stage/stage.ts';
import { user } from './commands/user/user.ts';
import { WrongUsage } from './failures.ts';
import type { CommonFlags, Noun, Verb } from './verb.ts';

export const nouns: readonly Noun[] = [
  org,
  user,
  audit,
  dialing,
  key,
  assistant,
  connection,
  dnc,
  call,
  person,
  receipt,
  schedule,
  queue,
  secret,
  stage,
  stackTrace,
];

/** The commands without a noun. */
export const nounless: readonly Verb[] = [doctor];

/** Text that the parser itself writes: help and usage errors. */
export type ParserOutput = { writeOut: (text: string) => void; writeErr: (text: string) => void };

export type Execute = (verb: Verb, flags: CommonFlags & { region?: string }, argument: string) => Promise<void>;

/** Builds the command parser. @param execute runs the verb that the arguments select. */
export function adminProgram(output: ParserOutput, execute: Execute): Command {
  // Subcommands inherit these settings at their creation.
  const program = new Command('admin')
    .description('Operates the calling service.')
    .showHelpAfterError('(see --help)')
    .exitOverride()
    .configureOutput(output);
  for (const noun of nouns) addNoun(program, noun, execute);
  for (const verb of nounless) addVerb(program, verb, execute);
  return program;
}

function addNoun(parent: Command, { name, summary, verbs, groups = [] }: Noun, execute: Execute): void {
  const command = parent.command(name).description(summary);
  for (const verb of verbs) addVerb(command, verb, execute);
  for (const group of groups) addNoun(command, group, execute);
}

/** The options of every verb. */
export const commonOptions = [
  new Option('--json', 'print one JSON document'),
  new Option('--stage <name>', 'stage in the AWS account of your credentials (default: the running local cloud)'),
  new Option('--aws-region <name>', 'AWS region of the stage'),
];
const regionOption = new Option('--region <name>', 'same as --aws-region');

function addVerb(noun: Command, verb: Verb, execute: Execute): void {
  const command = noun.command(verb.usage).description(verb.summary);
  const common = verb.ownsRegion ? commonOptions : [...commonOptions, regionOption];
  for (const option of [...(verb.options ?? []), ...common]) command.addOption(option);
  command.action(async () => {
    const flags = command.opts<CommonFlags>();
    refuseSwallowedFlags(command, flags);
    await execute(verb, flags, command.args[0] ?? '');
  });
}

/**
 * Refuses a flag in place of a value: in a script with an empty variable, `--org $ORG --json` would make `--json` the
 * organization.
 */
function refuseSwallowedFlags(command: Command, flags: object): void {
  for (const option of command.options) {
    const value = (flags as Record<string, unknown>)[option.attributeName()];
    if (command.options.some(({ long }) => long === value))
      throw new WrongUsage(`error: option '${option.flags}' argument missing`);
  }
}
