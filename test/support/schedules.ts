import { DisableRuleCommand, EnableRuleCommand, ListRulesCommand } from '@aws-sdk/client-eventbridge';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import type { FunctionName } from '../../lib/functions.ts';
import { eventBridge, lambda, named, now } from './stack.ts';

/** Runs a scheduled function as its schedule does. @returns its report. */
export async function runSchedule<Report>(name: FunctionName): Promise<Report> {
  const answer = await lambda.send(
    new InvokeCommand({
      FunctionName: named.function(name),
      Payload: JSON.stringify({ time: now().toISOString() }),
    }),
  );
  const report = JSON.parse(Buffer.from(answer.Payload ?? []).toString('utf8'));
  if (answer.FunctionError) throw new Error(`${name} failed: ${JSON.stringify(report)}`);
  return report;
}

async function ruleOf(name: FunctionName): Promise<string> {
  const { Rules = [] } = await eventBridge.send(new ListRulesCommand({}));
  const rule = Rules.find(({ Description }) => Description?.endsWith(`-> ${name}`));
  if (!rule?.Name) throw new Error(`${name} has no schedule`);
  return rule.Name;
}

/** Keeps schedules from running by themselves, where the clock is moved: what a test runs is all that runs. */
export async function pauseSchedules(...functions: FunctionName[]): Promise<void> {
  for (const name of functions) await eventBridge.send(new DisableRuleCommand({ Name: await ruleOf(name) }));
}

export async function resumeSchedules(...functions: FunctionName[]): Promise<void> {
  for (const name of functions) await eventBridge.send(new EnableRuleCommand({ Name: await ruleOf(name) }));
}
