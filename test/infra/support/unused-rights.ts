import { type FunctionName, functionRow } from '../../../lib/functions.ts';
import { deployedName } from '../../../lib/queues.ts';
import type { Use } from '../../../lib/uses.ts';
import type { UsedRight } from './rights-in-use.ts';

/** Actions of a statement, and its resources as JSON. */
type Granted = { actions: readonly string[]; resources: string };

/** Rights on the log, to receive from a queue or a stream, and to store failed events. */
const ofTrigger: readonly RegExp[] = [
  /^logs:/,
  /^sqs:(ReceiveMessage|DeleteMessage|ChangeMessageVisibility|GetQueueUrl|GetQueueAttributes) /,
  /^dynamodb:(DescribeStream|GetRecords|GetShardIterator|ListStreams) /,
  /^sqs:SendMessage .*failuresqueue/,
];

/**
 * Rights that follow from others: a function that uses objects uses their key, through S3 (lib/constructs/rights.ts).
 */
const ofOtherRights: readonly RegExp[] = [/^kms:(Decrypt|GenerateDataKey) .*fileskey/];

/** Returns whether a template's resource is the one that a setting names. The CDK omits the hyphens of logical ids. */
function isNamedBy(use: Use | undefined, index: string | undefined, resources: string): boolean {
  const plain = (name: string) => name.replaceAll('-', '');
  switch (use?.kind) {
    case undefined:
      return false;
    case 'table':
      return (
        new RegExp(`table${plain(use.table)}[0-9A-F]{8}`).test(resources) &&
        /\/index\/([\w-]+)/.exec(resources)?.[1] === index
      );
    case 'queueUrl':
      return resources.includes(`queue${plain(deployedName(use.queue))}queue`);
    case 'key':
      return resources.includes(`${plain(use.key)}key`);
    case 'secret':
      return resources.includes(`/${use.secret}-??????`);
    default:
      return true;
  }
}

/** @returns the rights of a function, with their resources, that neither its code nor its former code uses. */
export function unusedRights(name: FunctionName, granted: readonly Granted[], used: readonly UsedRight[]): string[] {
  const { uses, formerUses = [] } = functionRow(name);
  const isFormer = (action: string, resources: string) =>
    formerUses.some(
      (use) =>
        use.kind === 'table' &&
        use.actions.some((one) => action === `dynamodb:${one}`) &&
        isNamedBy(use, undefined, resources),
    );
  const isUsed = (action: string, resources: string) =>
    used.some(
      (one) => one.action === action && [...one.settings].some((each) => isNamedBy(uses[each], one.index, resources)),
    );
  return granted.flatMap(({ actions, resources }) =>
    actions
      .filter((action) => !isUsed(action, resources) && !isFormer(action, resources))
      .map((action) => `${action} ${resources}`)
      .filter((right) => ![...ofTrigger, ...ofOtherRights].some((pattern) => pattern.test(right))),
  );
}
