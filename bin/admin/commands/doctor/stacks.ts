import type { Stack } from '@aws-sdk/client-cloudformation';
import { type CertificatesPart, requestedCertificates } from '../../../../lib/own-names.ts';
import { canOnlyBeDeleted, otherRegionOf, type StackPart, stackParts } from '../../cloud/failed-stacks.ts';
import { type Check, type Finding, failed, findingsOr, ok, warning } from './check.ts';
import { NotDeployed } from './not-deployed.ts';
import type { Patient } from './patient.ts';

/** Checks that the stage's stacks are complete. */
export const stacks: Check = {
  name: 'stacks',
  rights: 'cloudformation:DescribeStacks',
  async examine(patient) {
    const found = await patient.stacks();
    // Certificates are deployed first, by hand.
    if (stackParts.every((part) => !found[part] || isOfCertificates(part))) throw new NotDeployed();
    const isLeftOut = await leftOut(patient);
    const parts = stackParts.filter((part) => found[part] || !isLeftOut(part));
    const findings = parts.flatMap((part) => judge(patient, part, found[part]));
    return findingsOr(findings, `All ${parts.length} stacks are complete.`);
  },
};

/** Returns which stacks the settings do not require. Another check reports wrong settings. */
async function leftOut(patient: Patient): Promise<(part: StackPart) => boolean> {
  const settings = await patient.settings().catch(() => undefined);
  const requested = settings ? requestedCertificates(settings) : { certificates: [], 'dashboard-certificate': [] };
  return (part) => {
    if (part === 'deployer') return settings?.deployFrom === undefined;
    return isOfCertificates(part) && requested[part].length === 0;
  };
}

const isOfCertificates = (part: StackPart): part is CertificatesPart =>
  part === 'certificates' || part === 'dashboard-certificate';

function judge(patient: Patient, part: StackPart, stack: Stack | undefined): Finding[] {
  const name = patient.cloud.named.stack(part);
  const deploy = `npx cdk deploy --all -c stage=${patient.cloud.place.stage}`;
  const status = stack?.StackStatus ?? '';
  if (!stack) return [failed(`Stack ${name} does not exist, and others do.`, deploy)];
  if (canOnlyBeDeleted(stack)) {
    const step = status === 'DELETE_FAILED' ? 'deletion' : 'first deployment';
    return [failed(`The ${step} of ${name} failed (${status}).`, patient.admin('stage repair'))];
  }
  if (status === 'UPDATE_ROLLBACK_FAILED')
    return [
      failed(
        `${name} could not be rolled back (${status}).`,
        patient.aws(`cloudformation continue-update-rollback --stack-name ${name}`, otherRegionOf(part)),
      ),
    ];
  if (/_IN_PROGRESS$/.test(status)) return [warning(`${name} is being deployed (${status}).`, patient.admin('doctor'))];
  if (/^(UPDATE|IMPORT)_ROLLBACK_COMPLETE$/.test(status))
    return [warning(`The last deployment of ${name} was rolled back (${status}): its former version works.`, deploy)];
  return /_FAILED$/.test(status) ? [failed(`${name} is ${status}.`, deploy)] : [];
}

/** Checks that stacks with retained data are protected from deletion. */
export const protection: Check = {
  name: 'protection',
  rights: 'cloudformation:DescribeStacks',
  async examine(patient) {
    const { isRetained } = await patient.settings();
    if (!isRetained) return [ok('Not needed: the stage is disposable.')];
    const stacksOfStage = await patient.stacks();
    const found = stackParts.filter((part) => stacksOfStage[part]);
    if (found.length === 0) throw new NotDeployed();
    const open = found.filter((part) => !stacksOfStage[part]?.EnableTerminationProtection);
    const findings = open.map((part) => {
      const name = patient.cloud.named.stack(part);
      return failed(
        `Stack ${name} can be deleted: it has no termination protection.`,
        patient.aws(
          `cloudformation update-termination-protection --enable-termination-protection --stack-name ${name}`,
          otherRegionOf(part),
        ),
      );
    });
    return findingsOr(findings, `All ${found.length} stacks have termination protection.`);
  },
};
