import { inBatches } from '../../../domain/in-batches.ts';
import type { Actor } from '../../../domain/organizations/audit/audit-entry.ts';
import type { Organization } from '../../../domain/organizations/organization.ts';
import { type Retention, retentionOf } from '../../../domain/organizations/retention.ts';
import type { CallPosition, CallStore } from '../../../stores/calls/calls.ts';
import type { ConnectionStore } from '../../../stores/connections/connections.ts';
import { type AuditedChangeDeps, audited } from '../../organizations/steps/audited-change.ts';
import { type ActivityCounts, type RetainActivityDeps, retainActivity } from './retain-activity.ts';
import { type RetainCallDeps, type Retained, retainCall } from './retain-call.ts';

export type ApplyRetentionDeps = RetainCallDeps &
  RetainActivityDeps &
  AuditedChangeDeps & {
    calls: Pick<CallStore, 'pageOfOrg'>;
    connections: Pick<ConnectionStore, 'listOfOrg'>;
  };

/** The changes, or in a dry run the changes that would be made. */
export type AppliedRetention = {
  calls: {
    changed: number;
    /** The changed calls that readers no longer find. */
    ending: number;
    same: number;
    /** Not ended or not finished; a later run takes them. */
    under_way: number;
    /** Already hidden from readers. */
    over: number;
  };
  files: number;
  notifications: number;
  activity: ActivityCounts;
};

const CALLS_OF_A_PAGE = 100;
/** The number of calls changed concurrently. */
const AT_ONCE = 10;

/**
 * Applies an organization's current retention to its existing calls, files, notifications and Activity
 * (docs/personal-data.md, "Retention of earlier calls"). A repeat after a crash continues where the first run ended; a
 * repeat after the end changes nothing.
 * @param options.defaults of the stage. @param options.isDryRun whether to only count
 */
export async function applyRetention(
  deps: ApplyRetentionDeps,
  actor: Actor,
  org: Organization,
  { defaults, isDryRun }: { defaults: Retention; isDryRun: boolean },
): Promise<AppliedRetention & { keep: Retention }> {
  const { org_id, name } = org;
  const keep = retentionOf(org, defaults);
  const begun = deps.now();
  if (!isDryRun) {
    const change = { org_id, actor, action: 'org.retention_applied' as const, thing: { id: org_id, name } };
    await deps.transact({ audit: audited(deps, { ...change, after: keep }, begun) });
  }
  const counts = {
    calls: { changed: 0, ending: 0, same: 0, under_way: 0, over: 0 },
    files: 0,
    notifications: 0,
    activity: { changed: 0, ending: 0, same: 0 },
  };
  const to = begun.toISOString();
  for (let before: CallPosition | undefined; ; ) {
    const { items, last } = await deps.calls.pageOfOrg(org_id, {
      to,
      limit: CALLS_OF_A_PAGE,
      ...(before && { before }),
    });
    const retained = await inBatches(items, AT_ONCE, (call) => retainCall(deps, call, keep, isDryRun));
    for (const one of retained) add(counts, one);
    if (!last) break;
    before = last;
  }
  for (const { connection_id } of await deps.connections.listOfOrg(org_id)) {
    const { changed, ending, same } = await retainActivity(deps, connection_id, { to, days: keep?.activity, isDryRun });
    counts.activity.changed += changed;
    counts.activity.ending += ending;
    counts.activity.same += same;
  }
  return { keep: keep ?? {}, ...counts };
}

function add(counts: AppliedRetention, { kind, isEnding, files, notifications }: Retained): void {
  counts.calls[kind] += 1;
  if (isEnding) counts.calls.ending += 1;
  counts.files += files;
  counts.notifications += notifications;
}
