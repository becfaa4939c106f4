import { CfnOutput, type Stack } from 'aws-cdk-lib';
import { Construct } from 'constructs';

/** The construct in which the CDK itself creates the outputs that other stacks read. */
const SCOPE = 'Publish';

/**
 * Publishes values of a stack as the outputs that other stacks read, whether or not one reads them. The CDK publishes
 * only values that this version reads, but a former version, deployed without this stack, may read others
 * (docs/decisions/0033-stacks-read-outputs.md).
 * @param values attributes of the stack's resources, such as names and ARNs
 */
export function publish(stack: Stack, values: readonly string[]): void {
  const scope = (stack.node.tryFindChild(SCOPE) as Construct | undefined) ?? new Construct(stack, SCOPE);
  for (const value of values) {
    // The CDK's own id: it finds this output instead of creating another one.
    const id = `Output${JSON.stringify(stack.resolve(value))}`;
    if (!scope.node.tryFindChild(id)) new CfnOutput(scope, id, { value });
  }
}
