import {
  DisableRuleCommand,
  EnableRuleCommand,
  type EventBridgeClient,
  ListRulesCommand,
} from '@aws-sdk/client-eventbridge';
import type { FunctionName } from '../../lib/functions.ts';

/** The rule that runs a scheduled function. */
async function ruleOf(eventBridge: EventBridgeClient, name: FunctionName): Promise<string> {
  const { Rules = [] } = await eventBridge.send(new ListRulesCommand({}));
  const rule = Rules.find(({ Description }) => Description?.endsWith(`-> ${name}`));
  if (!rule?.Name) throw new Error(`${name} has no schedule`);
  return rule.Name;
}

/** Keeps a schedule from running its function: what runs by itself would come on top of what a test runs. */
export const pauseSchedule = async (eventBridge: EventBridgeClient, name: FunctionName) =>
  eventBridge.send(new DisableRuleCommand({ Name: await ruleOf(eventBridge, name) }));

export const resumeSchedule = async (eventBridge: EventBridgeClient, name: FunctionName) =>
  eventBridge.send(new EnableRuleCommand({ Name: await ruleOf(eventBridge, name) }));
