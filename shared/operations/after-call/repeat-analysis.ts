import type { Actor } from '../../domain/organizations/audit/audit-entry.ts';
import { maskPhone } from '../../domain/text/phone-number.ts';
import type { Transact } from '../../stores/dynamodb/transaction.ts';
import type { OrganizationStore } from '../../stores/organizations/organizations.ts';
import { type AuditedChangeDeps, audited } from '../organizations/steps/audited-change.ts';
import { type AnalyzeInTimeDeps, analyzeInTime } from './analysis/analyze-in-time.ts';
import type { CallAnalysis } from './analysis/analyze-transcript.ts';

export type RepeatAnalysisDeps = AnalyzeInTimeDeps &
  AuditedChangeDeps & {
    organizations: Pick<OrganizationStore, 'get'>;
  };

/**
 * Analyzes an organization's call again while a person waits, with the current settings of its assistant. The audit
 * entry is a part of the transaction that stores the result; without a result, only a do-not-call request is stored,
 * together with the entry.
 * @throws as `analyzeInTime`.
 */
export async function repeatAnalysis(
  deps: RepeatAnalysisDeps,
  actor: Actor,
  { org_id, call_id }: { org_id: string; call_id: string },
): Promise<CallAnalysis | { kind: 'call_not_found' } | { kind: 'org_suspended' }> {
  const [call, org] = await Promise.all([deps.calls.get(call_id), deps.organizations.get(org_id)]);
  if (call?.org_id !== org_id) return { kind: 'call_not_found' };
  if (org?.suspended_at) return { kind: 'org_suspended' };
  const { phone_number, analysis } = call;
  const audit = audited(deps, {
    org_id,
    actor,
    action: 'call.analyzed',
    thing: { id: call_id, name: maskPhone(phone_number) },
    before: { result: analysis?.result?.success_eval },
  });
  const transact: Transact = (writes, options) => deps.transact({ ...writes, audit }, options);
  return analyzeInTime({ ...deps, transact }, call);
}
