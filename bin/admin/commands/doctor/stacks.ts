import type { Stack } from '@aws-sdk/client-cloudformation';
import { hasNeverWorked, stackParts } from '../../cloud/failed-stacks.ts';
import { type Check, type Finding, failed, findingsOr, ok, warning } from './check.ts';
import { NotDeployed } from './not-deployed.ts';
import type { Patient } from './patient.ts';

/** Checks that the stage's stacks are complete. */
export const stacks: Check = {
  name: 'stacks',
  rights: 'cloudformation:DescribeStacks',
  async examine(patient) {
    const found = await patient.stacks();
    if (Object.keys(found).length === 0) throw new NotDeployed();
    // A stage that only people deploy has no deployer. Another check reports wrong settings.
    const { deployFrom } = await patient.settings().catch(() => ({ deployFrom: undefined }));
    const parts = stackParts.filter((part) => part !== 'deployer' || deployFrom || found.deployer);
    const findings = parts.flatMap((part) => judge(patient, patient.cloud.named.stack(part), found[part]));
    return findingsOr(findings, `All ${parts.length} stacks are complete.`);
  },
};

function judge(patient: Patient, name: string, stack: Stack | undefined): Finding[] {
  const deploy = `npx cdk deploy --all -c stage=${patient.cloud.place.stage}`;
  const status = stack?.StackStatus ?? '';
  if (!stack) return [failed(`Stack ${name} does not exist, and others do.`, deploy)];
  if (hasNeverWorked(stack))
    return [failed(`The first deployment of ${name} failed (${status}).`, patient.admin('stage repair'))];
  if (status === 'UPDATE_ROLLBACK_FAILED')
    return [
      failed(
        `${name} could not be rolled back (${status}).`,
        patient.aws(`cloudformation continue-update-rollback --stack-name ${name}`),
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
    const found = Object.values(await patient.stacks());
    if (found.length === 0) throw new NotDeployed();
    const open = found.filter(({ EnableTerminationProtection }) => !EnableTerminationProtection);
    const findings = open.map(({ StackName }) =>
      failed(
        `Stack ${StackName} can be deleted: it has no termination protection.`,
        patient.aws(
          `cloudformation update-termination-protection --enable-termination-protection --stack-name ${StackName}`,
        ),
      ),
    );
    return findingsOr(findings, `All ${found.length} stacks have termination protection.`);
  },
};
