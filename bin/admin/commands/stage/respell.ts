import {
  findMisspelled,
  type Misspelled,
  respellNumbers,
} from '../../../../shared/operations/calls/respell-numbers.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { noteOperatorAction } from '../../cloud/stage-log.ts';
import { facts } from '../../output.ts';
import type { Answer } from '../../verb.ts';

export type Respelling = { dryRun?: boolean };

/**
 * Rewrites the numbers of do-not-call lists, organizations and unfinished calls in canonical spelling (docs/deploy.md,
 * "Respell numbers"). Fails if it skipped one; a repeat tries it again.
 */
export async function respell(cloud: Cloud, { dryRun = false }: Respelling): Promise<Answer> {
  const { stage } = cloud.place;
  if (dryRun) return answer(stage, await counted(cloud));
  await noteOperatorAction(cloud, 'stage.numbers_respelled', stage);
  return answer(stage, await respellNumbers(cloud, await cloud.operator()));
}

type Counts = Record<Misspelled['of'], number> & { left?: Misspelled[] };

function answer(stage: string, { do_not_call, organization, call, left }: Counts): Answer {
  const dry = left === undefined;
  const kept = left?.map((one) => ({ ...one, ...('phone' in one && { phone: undefined }) }));
  const report = { stage, dry_run: dry, do_not_call, organizations: organization, calls: call };
  const isFailure = kept !== undefined && kept.length > 0;
  const notRewritten = kept?.map((one) => `${one.of} of ${one.org_id}${'call_id' in one ? `: ${one.call_id}` : ''}`);
  return {
    json: { ...report, ...(kept && { left: kept }) },
    people: isFailure
      ? `${facts(report)}\nNot rewritten: ${notRewritten?.join(', ')}. Run the command again; cancel a call that it leaves again.`
      : facts(report),
    isFailure,
  };
}

async function counted(cloud: Cloud): Promise<Counts> {
  const counts = { do_not_call: 0, organization: 0, call: 0 };
  for await (const { of } of findMisspelled(cloud)) counts[of] += 1;
  return counts;
}
