import {
  DisableRuleCommand,
  EnableRuleCommand,
  type EventBridgeClient,
  ListRulesCommand,
} from '@aws-sdk/client-eventbridge';
import type { FunctionName } from '../../../lib/functions.ts';

/** Finds the rule that runs a scheduled function. */
async function ruleOf(eventBridge: EventBridgeClient, name: FunctionName): Promise<string> {
  const { Rules = [] } = await eventBridge.send(new ListRulesCommand({}));
  const rule = Rules.find(({ Description }) => Description?.endsWith(`-> ${name}`));
  if (!rule?.Name) throw new Error(`${name} has no schedule`);
  return rule.Name;
}

/** Disables a schedule, so that only the test runs its function. */
export const pauseSchedule = async (eventBridge: EventBridgeClient, name: FunctionName) =>
  eventBridge.send(new DisableRuleCommand({ Name: await ruleOf(eventBridge, name) }));

export const resumeSchedule = async (eventBridge: EventBridgeClient, name: FunctionName) =>
  eventBridge.send(new EnableRuleCommand({ Name: await ruleOf(eventBridge, name) }));
