import type { Connection } from '../../../domain/connections/connection.ts';
import { connectionHealth } from '../../../domain/connections/connection-health.ts';
import { checksOf } from '../../../domain/leads/lead-checks.ts';
import { viewLeadEvent } from '../../../domain/leads/lead-event-view.ts';
import { maskPhone } from '../../../domain/text/phone-number.ts';
import type { Explanation } from '../../../messages/dashboard/leads.ts';
import type { CallBrief } from '../../../stores/calls/call-briefs.ts';
import type { DoNotCallEntry } from '../../../stores/organizations/do-not-call.ts';
import type { LeadExplanation } from '../explain-lead.ts';
import type { AsOfNow } from './decide-as-of-now.ts';

/** Converts a lead's explanation for the dashboard. */
export function viewExplanation(explained: LeadExplanation): Explanation {
  const { asked, entries, hasMore, last, number, calls, connections, newerConnections } = explained;
  const crms = new Map<string, string>([
    ...connections.map((one) => [one.connection_id, crmOf(one)] as const),
    ...newerConnections.map((one) => [one.connection_id, one.type] as const),
  ]);
  return {
    asked: { phone: asked.phone ?? null, lead_id: asked.leadId },
    verdict: last ? verdictOf(last) : null,
    now: last ? asOfNow(last.now, crmOf(last.connection)) : null,
    number: number
      ? {
          phone: number.phone,
          phone_masked: maskPhone(number.phone),
          is_own: number.isOwn,
          do_not_call: number.listed ? viewListed(number.listed) : null,
        }
      : null,
    events: entries.map((entry) =>
      viewLeadEvent(entry, crms.get(entry.connection_id) ?? 'crm-b', calls.get(entry.call_id ?? '')),
    ),
    has_more_events: hasMore,
    calls: [...calls.values()].sort((one, other) => (one.created_at < other.created_at ? 1 : -1)).map(viewCall),
    connections: connections.map(viewHealth),
  };
}

const crmOf = ({ type }: Connection): 'crm-a' | 'crm-b' => (type === 'crm-a' ? 'crm-a' : 'crm-b');

function verdictOf({ entry, connection, call, otherCall }: NonNullable<LeadExplanation['last']>) {
  const crm = crmOf(connection);
  return {
    outcome: entry.outcome,
    reason: entry.reason,
    at: entry.at,
    event_id: entry.event_id,
    connection_id: entry.connection_id,
    crm,
    lead_id: entry.lead_id ?? null,
    is_test: entry.test,
    checks: checksOf(entry.outcome, crm, call),
    owner: { lead: entry.owner_id ?? null, wanted: connection.trigger_owner_user_id ?? null },
    call: call ? viewCall(call) : null,
    other_call: otherCall ? viewCall(otherCall) : null,
  };
}

function asOfNow({ outcome, unknown, reason, opensAt }: AsOfNow, crm: 'crm-a' | 'crm-b') {
  return {
    outcome,
    unknown,
    reason,
    opens_at: opensAt,
    checks: outcome === null ? [] : checksOf(outcome, crm),
  };
}

const viewListed = ({ added_at, call_id, added_by }: DoNotCallEntry) => ({
  since: added_at,
  call_id: call_id ?? null,
  by: added_by ?? null,
});

const viewCall = (call: CallBrief) => ({
  id: call.call_id,
  status: call.status,
  ended_reason: call.ended_reason ?? null,
  placed_at: call.created_at,
  scheduled_for: call.status === 'scheduled' ? (call.scheduled_for ?? null) : null,
  duration: call.duration ?? null,
});

function viewHealth(connection: Connection) {
  const { status, reason } = connectionHealth(connection);
  return {
    connection_id: connection.connection_id,
    crm: crmOf(connection),
    auto_call: connection.auto_call,
    health: status,
    health_reason: reason,
    last_delivery_at: connection.last_delivery_at ?? null,
    last_rejection: connection.rejection ?? null,
  };
}
