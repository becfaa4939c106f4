import { InvokeCommand } from '@aws-sdk/client-lambda';
import type { Command } from 'commander';
import { type FunctionName, functionNames, functionRow } from '../../lib/functions.ts';
import type { Cloud } from './cloud.ts';
import { type Answer, acting, verb } from './command.ts';
import { Refusal } from './failures.ts';
import { facts } from './output.ts';
import { instant, oneOf } from './values.ts';

/** Beyond the function's own time: its start, and the way. */
const MARGIN_SECONDS = 30;

/** What runs by the clock. */
export const scheduledFunctions = functionNames.filter((name) => functionRow(name).trigger.kind === 'schedule');

/** Scheduled functions: running one now. */
export function addSchedule(program: Command): void {
  const noun = program.command('schedule').description('what runs by the clock');
  verb(noun, 'run <name>', `runs one of ${scheduledFunctions.join(', ')} now and waits for its report`)
    .option('--as-of <instant>', 'the instant that it takes for now (off the local stage never ahead of the clock)')
    .action(acting<{ asOf?: string }>(run));
}

async function run(cloud: Cloud, flags: { asOf?: string }, argument: string): Promise<Answer> {
  const name = oneOf('The schedule', argument, scheduledFunctions);
  const asOf = flags.asOf === undefined ? cloud.now().toISOString() : instant('--as-of', flags.asOf);
  const report = await runScheduled(cloud, name, asOf);
  return { json: report, people: `${name} has run as of ${asOf}.\n\n${facts({ ...report })}` };
}

/** Runs a scheduled function and waits. @returns its report. @throws Refusal where it failed. */
export async function runScheduled(cloud: Cloud, name: FunctionName, time: string): Promise<object> {
  const seconds = (functionRow(name).timeoutSeconds ?? 0) + MARGIN_SECONDS;
  const { FunctionError, Payload } = await cloud
    .patientLambda(seconds)
    .send(new InvokeCommand({ FunctionName: cloud.named.function(name), Payload: JSON.stringify({ time }) }));
  const answer = readPayload(Payload);
  if (FunctionError)
    throw new Refusal(
      'function_failed',
      `${name} failed: ${answer.errorMessage ?? FunctionError}. Its log: /aws/lambda/${cloud.named.function(name)}`,
    );
  return answer;
}

function readPayload(payload: Uint8Array | undefined): { errorMessage?: string } {
  const content = Buffer.from(payload ?? []).toString('utf8');
  const read: unknown = content === '' ? {} : JSON.parse(content);
  return typeof read === 'object' && read !== null ? read : {};
}
