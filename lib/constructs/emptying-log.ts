import { type CfnResource, RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Stage } from '../stage.ts';

/** The CDK's construct of the function that empties the buckets of a stack, one per stack. */
const EMPTYING = 'Custom::S3AutoDeleteObjectsCustomResourceProvider';

/**
 * Creates the log of the function that empties the buckets of a stack, if the stack has one. Lambda would create a log
 * without a retention period, which outlives the stack; the CDK has no setting for it.
 */
export function createEmptyingLog(stack: Stack, { logRetentionDays }: Stage): void {
  const emptying = stack.node.tryFindChild(EMPTYING);
  if (!emptying) return;
  const log = new LogGroup(stack, 'emptying-log', {
    retention: logRetentionDays,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const handler = emptying.node.findChild('Handler') as CfnResource;
  handler.addPropertyOverride('LoggingConfig', { LogGroup: log.logGroupName });
}
