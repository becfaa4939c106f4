import { CommanderError } from 'commander';
import { type Cloud, openCloud } from './cloud/cloud.ts';
import type { Variables } from './cloud/environment.ts';
import { explain } from './explain.ts';
import { Refusal, WrongUsage } from './failures.ts';
import { atMost, contentOf } from './input.ts';
import { type Output, printable, printableJson, write } from './output.ts';
import { adminProgram, type Execute } from './program.ts';
import type { Answer } from './verb.ts';

/** The surroundings of a run: for a process, its standard streams and its environment. */
export type Surroundings = {
  stdin: AsyncIterable<Buffer | string> & { isTTY?: boolean };
  stdout: Output;
  stderr: Output;
  environment: Variables;
  /** The cloud to work on; undefined if flags and environment select it. */
  cloud?: Cloud;
};

const MAX_INPUT_MB = 1;

const DONE = 0;
const REFUSED = 1;
const WRONG_USAGE = 2;

/**
 * Runs one command of the operators' CLI.
 * @param argv the arguments after the program's name
 * @returns the exit code: 0 done, 1 refused or failed, 2 wrong usage
 */
export async function runAdmin(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  const { stdout, stderr, environment } = surroundings;
  const output = { writeOut: (text: string) => stdout.write(text), writeErr: (text: string) => stderr.write(text) };
  const fail = async (code: number, error: string, message: string, facts: object = {}): Promise<number> => {
    if (argv.includes('--json'))
      await write(stdout, `${printableJson({ error, message: message.replace(/^error: /, ''), ...facts })}\n`);
    return code;
  };
  let code = DONE;
  try {
    const execute = executeIn(surroundings, () => (code = REFUSED));
    await adminProgram(output, execute).parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    // Commander has already printed its message or the help.
    if (error instanceof CommanderError)
      return error.exitCode === 0 ? DONE : fail(WRONG_USAGE, 'wrong_usage', error.message);
    const { message } = error as Error;
    await write(stderr, `${printable(message)}\n${error instanceof WrongUsage ? '(see --help)\n' : ''}`);
    if (error instanceof WrongUsage) return fail(WRONG_USAGE, 'wrong_usage', message);
    if (error instanceof Refusal) return fail(REFUSED, error.error, message, error.facts);
    if (environment.DEBUG) await write(stderr, `${(error as Error).stack}\n`);
    return fail(REFUSED, 'failed', message);
  }
}

async function actOn(cloud: Cloud, act: () => Promise<Answer>): Promise<Answer> {
  try {
    return await act();
  } catch (error) {
    throw explain(error, cloud.place);
  }
}

/** @param fail is called if the answer reports a failure */
function executeIn({ stdin, stdout, stderr, environment, cloud: given }: Surroundings, fail: () => void): Execute {
  const readInput = async (prompt: string, limit = atMost(MAX_INPUT_MB, 'Standard input')): Promise<string> => {
    if (stdin.isTTY) await write(stderr, `${prompt}\n`);
    return (await contentOf(stdin, limit)).toString('utf8');
  };
  return async (verb, flags, argument) => {
    const awsRegion = flags.awsRegion ?? (verb.ownsRegion ? undefined : flags.region);
    const cloud = given ?? openCloud({ stage: flags.stage, awsRegion }, environment);
    const { json, people, isFailure } = await actOn(cloud, () => verb.act(cloud, flags, { argument, readInput }));
    await write(stdout, `${flags.json ? printableJson(json, 2) : printable(people)}\n`);
    if (isFailure) fail();
  };
}
