import { applyRetention } from '../../../../shared/operations/after-call/retention/apply-retention.ts';
import { fileRetention } from '../../../../shared/stores/calls/files/file-retention.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { findOrg } from '../../cloud/records.ts';
import { facts, paragraphs } from '../../output.ts';
import { type Answer, type Noun, type OfOrg, optional, orgOption, verb } from '../../verb.ts';
import { showKept } from './view.ts';

type Applying = OfOrg & { dryRun?: boolean };

export const retention: Noun = {
  name: 'retention',
  summary: 'How long calls, files and Activity are kept',
  verbs: [
    verb<Applying>({
      usage: 'apply',
      summary: 'Applies the current retention to existing calls, files and Activity; can be repeated',
      options: [orgOption, optional('--dry-run', 'only count what would be changed')],
      act: apply,
    }),
  ],
};

async function apply(cloud: Cloud, { org: orgId, dryRun: isDryRun = false }: Applying): Promise<Answer> {
  const org = await findOrg(cloud, orgId);
  const deps = { ...cloud, fileRetention: fileRetention(cloud.s3(), await cloud.filesBucket()) };
  const defaults = await cloud.defaultRetention();
  const { keep, ...counts } = await applyRetention(deps, await cloud.operator(), org, { defaults, isDryRun });
  const json = { org_id: org.org_id, dry_run: isDryRun, retention: showKept(keep), ...counts };
  const { calls, files, notifications, activity } = counts;
  const people = paragraphs(
    isDryRun ? 'Nothing was changed. The command without --dry-run would change:' : 'The retention was applied.',
    facts({
      calls: `${calls.changed} changed, ${calls.ending} of them no longer found; ${calls.same} as before`,
      'calls left out': `${calls.under_way} not finished, ${calls.over} over before`,
      'tags of files': files,
      notifications,
      activity: `${activity.changed} changed, ${activity.ending} of them expired; ${activity.same} as before`,
    }),
    calls.under_way > 0 ? 'Run the command again when the other calls are finished.' : undefined,
  );
  return { json, people };
}
