import type { Stack } from '@aws-sdk/client-cloudformation';
import { type CertificatesPart, requestedCertificates } from '../../../../lib/own-names.ts';
import { canOnlyBeDeleted, otherRegionOf, type StackPart, stackParts } from '../../cloud/failed-stacks.ts';
import { type Check, type Finding, failed, findingsOr, ok, warning } from './check.ts';
import type { CheckContext } from './check-context.ts';
import { NotDeployed } from './check-context.ts';

/** Checks that the stage's stacks are complete. */
export const stacks: Check = {
  name: 'stacks',
  rights: 'cloudformation:DescribeStacks',
  async examine(context) {
    const found = await context.stacks();
    // Certificates are deployed first, by hand.
    if (stackParts.every((part) => !found[part] || isOfCertificates(part))) throw new NotDeployed();
    const isLeftOut = await leftOut(context);
    const parts = stackParts.filter((part) => found[part] || !isLeftOut(part));
    const findings = parts.flatMap((part) => assess(context, part, found[part]));
    return findingsOr(findings, `All ${parts.length} stacks are complete.`);
  },
};

/** Returns which stacks the settings do not require. Another check reports wrong settings. */
async function leftOut(context: CheckContext): Promise<(part: StackPart) => boolean> {
  const settings = await context.settings().catch(() => undefined);
  const requested = settings ? requestedCertificates(settings) : { certificates: [], 'dashboard-certificate': [] };
  return (part) => {
    if (part === 'deployer') return settings?.deployFrom === undefined;
    return isOfCertificates(part) && requested[part].length === 0;
  };
}

const isOfCertificates = (part: StackPart): part is CertificatesPart =>
  part === 'certificates' || part === 'dashboard-certificate';

function assess(context: CheckContext, part: StackPart, stack: Stack | undefined): Finding[] {
  const name = context.cloud.named.stack(part);
  const deploy = `npx cdk deploy --all -c stage=${context.cloud.place.stage}`;
  const status = stack?.StackStatus ?? '';
  if (!stack) return [failed(`Stack ${name} does not exist, although other stacks do.`, deploy)];
  if (canOnlyBeDeleted(stack)) {
    const step = status === 'DELETE_FAILED' ? 'deletion' : 'first deployment';
    return [failed(`The ${step} of ${name} failed (${status}).`, context.admin('stage repair'))];
  }
  if (status === 'UPDATE_ROLLBACK_FAILED')
    return [
      failed(
        `${name} could not be rolled back (${status}).`,
        context.aws(`cloudformation continue-update-rollback --stack-name ${name}`, otherRegionOf(part)),
      ),
    ];
  if (/_IN_PROGRESS$/.test(status)) return [warning(`${name} is being deployed (${status}).`, context.admin('doctor'))];
  if (/^(UPDATE|IMPORT)_ROLLBACK_COMPLETE$/.test(status))
    return [warning(`The last deployment of ${name} was rolled back (${status}): its former version works.`, deploy)];
  return /_FAILED$/.test(status) ? [failed(`${name} is ${status}.`, deploy)] : [];
}

/** Checks that stacks with retained data are protected from deletion. */
export const protection: Check = {
  name: 'protection',
  rights: 'cloudformation:DescribeStacks',
  async examine(context) {
    const { isRetained } = await context.settings();
    if (!isRetained) return [ok('Not needed: the stage is disposable.')];
    const stacksOfStage = await context.stacks();
    const found = stackParts.filter((part) => stacksOfStage[part]);
    if (found.length === 0) throw new NotDeployed();
    const open = found.filter((part) => !stacksOfStage[part]?.EnableTerminationProtection);
    const findings = open.map((part) => {
      const name = context.cloud.named.stack(part);
      return failed(
        `Stack ${name} can be deleted: it has no termination protection.`,
        context.aws(
          `cloudformation update-termination-protection --enable-termination-protection --stack-name ${name}`,
          otherRegionOf(part),
        ),
      );
    });
    return findingsOr(findings, `All ${found.length} stacks have termination protection.`);
  },
};
