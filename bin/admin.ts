import { Command, CommanderError } from 'commander';
import { addAssistant } from './admin/assistant.ts';
import { addCall } from './admin/call.ts';
import { addConnection } from './admin/connection.ts';
import { addDialing } from './admin/dialing.ts';
import { addDnc } from './admin/dnc.ts';
import { Refusal, WrongUsage } from './admin/failures.ts';
import { addKey } from './admin/key.ts';
import { addOrg } from './admin/org.ts';
import { write } from './admin/output.ts';
import { addQueue } from './admin/queue.ts';
import { addSchedule } from './admin/schedule.ts';
import { addSecret } from './admin/secret.ts';

/**
 * The operator's CLI: `npm run --silent admin -- <noun> <verb> [flags] [--json]`. It works on the running local cloud, or,
 * without one or with --stage, on AWS. Exit codes: 0 done, 1 refused or not found, 2 wrong usage.
 */
const program = new Command('admin')
  .description("The operator's side of the calling service.")
  .showHelpAfterError('(see --help)')
  .exitOverride();
const nouns = [
  addOrg,
  addDialing,
  addKey,
  addAssistant,
  addConnection,
  addDnc,
  addCall,
  addSchedule,
  addQueue,
  addSecret,
];
for (const add of nouns) add(program);

const wantsJson = process.argv.includes('--json');

/** @returns the exit code. */
async function run(): Promise<number> {
  try {
    await program.parseAsync();
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has told it already; help that was asked for is no error.
      if (error.exitCode === 0) return 0;
      return answer(2, 'wrong_usage', error.message);
    }
    if (error instanceof WrongUsage) {
      await write(process.stderr, `${error.message}\n(see --help)\n`);
      return answer(2, 'wrong_usage', error.message);
    }
    const { message, facts = {} } = error as Refusal;
    await write(process.stderr, `${message}\n`);
    if (error instanceof Refusal) return answer(1, error.error, message, facts);
    if (process.env.DEBUG) console.error(error);
    return answer(1, 'failed', message);
  }
}

async function answer(code: number, error: string, message: string, facts: object = {}): Promise<number> {
  if (wantsJson)
    await write(process.stdout, `${JSON.stringify({ error, message: message.replace(/^error: /, ''), ...facts })}\n`);
  return code;
}

// Ends by itself once everything is written: an exit could cut a pipe short.
process.exitCode = await run();
