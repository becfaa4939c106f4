import {
  type CloudFormationClient,
  CreateChangeSetCommand,
  DescribeChangeSetCommand,
  DescribeStackEventsCommand,
  DescribeStacksCommand,
  ExecuteChangeSetCommand,
  UpdateTerminationProtectionCommand,
} from '@aws-sdk/client-cloudformation';
import { untilNoError } from '../../support/runner/until-no-error.ts';

const MAX_SECONDS = 60;

/** The result of a change set: the stack's status, the actions of the changes, and the reasons of failed resources. */
type Deployed = { status: string | undefined; changes: string[]; reasons: string[] };

type How = { type: 'CREATE' | 'UPDATE'; isImporting?: boolean; isRolledBack?: boolean };

/**
 * Deploys a stack as `cdk deploy` does: by a change set, and protected before it exists.
 * @param isImporting as with `--import-existing-resources` @param isRolledBack false as with `--no-rollback`
 * @throws if CloudFormation refuses the change set
 */
export async function deployByChangeSet(
  client: CloudFormationClient,
  StackName: string,
  template: object,
  { type, isImporting = false, isRolledBack = true }: How,
): Promise<Deployed> {
  const named = { StackName, ChangeSetName: `${type}-${Date.now()}` };
  await client.send(
    new CreateChangeSetCommand({
      ...named,
      ChangeSetType: type,
      ImportExistingResources: isImporting,
      Capabilities: ['CAPABILITY_IAM'],
      TemplateBody: JSON.stringify(template),
    }),
  );
  const changes = await untilNoError(async () => {
    const { Status, StatusReason, Changes = [] } = await client.send(new DescribeChangeSetCommand(named));
    if (Status !== 'CREATE_COMPLETE') throw new Error(`${Status}: ${StatusReason}`);
    return Changes.map(({ ResourceChange }) => `${ResourceChange?.Action} ${ResourceChange?.ResourceType}`);
  });
  await client.send(new UpdateTerminationProtectionCommand({ StackName, EnableTerminationProtection: true }));
  await client.send(new ExecuteChangeSetCommand({ ...named, DisableRollback: !isRolledBack }));
  const status = await untilNoError(async () => {
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName }));
    const found = Stacks?.[0]?.StackStatus;
    if (found?.endsWith('IN_PROGRESS')) throw new Error(found);
    return found;
  }, MAX_SECONDS);
  const { StackEvents = [] } = await client.send(new DescribeStackEventsCommand({ StackName }));
  return { status, changes, reasons: StackEvents.flatMap(({ ResourceStatusReason }) => ResourceStatusReason || []) };
}
