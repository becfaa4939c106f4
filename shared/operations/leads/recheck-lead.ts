import { type Call, isWaiting, type LeadCall, leadFitsAt, leadStopOf } from '../../domain/calls/call.ts';
import { whyOff } from '../../domain/connections/connection.ts';
import type { Lead } from '../../domain/leads/lead.ts';
import {
  decideLeadAlone,
  dialablePhone,
  endOfCall,
  type LeadRefusal,
  refuseOwnNumber,
} from '../../domain/leads/lead-decision.ts';
import { isRecheckDue } from '../../domain/leads/recheck.ts';
import { asLastKnown, isStoppedSince } from '../../domain/leads/stopped-lead.ts';
import { rateFor } from '../../domain/organizations/destination-rule.ts';
import type { Organization } from '../../domain/organizations/organization.ts';
import type { CallStore } from '../../stores/calls/calls.ts';
import type { ClaimStore } from '../../stores/calls/claims.ts';
import type { ConnectionStore } from '../../stores/connections/connections.ts';
import type { StoppedLeadStore } from '../../stores/leads/stopped-leads.ts';
import type { DoNotCallStore } from '../../stores/organizations/do-not-call.ts';
import { type CancelAsCalledDeps, cancelAsCalled } from '../calls/dialing/cancel-as-called.ts';
import { alreadyCalled, movingDayClaims } from '../calls/dialing/move-day-claims.ts';
import { withdrawCall } from '../calls/steps/withdraw-call.ts';
import { type ChangeTermsDeps, changeTerms } from './steps/change-terms.ts';
import { type FetchLeadDeps, fetchLead } from './steps/fetch-lead.ts';

export type RecheckLeadDeps = CancelAsCalledDeps &
  ChangeTermsDeps &
  FetchLeadDeps & {
    connections: Pick<ConnectionStore, 'get'>;
    calls: Pick<CallStore, 'ending'>;
    claims: Pick<ClaimStore, 'taking' | 'freeing'>;
    doNotCall: Pick<DoNotCallStore, 'has'>;
    stoppedLeads: Pick<StoppedLeadStore, 'get'>;
  };

type OrgOfLead = Pick<Organization, 'org_id' | 'platform_numbers' | 'default_region' | 'countries' | 'rate' | 'rates'>;

/**
 * Checks a waiting call of a lead once more before its phone rings (docs/leads.md, "Before the phone rings"): whether
 * its connection is on, whether a newer event has stopped the lead, whether its phone has become one of the
 * organization's own, and whether a lead of CRM-B that was read long ago, or was stopped, still matches. Without an
 * answer from CRM-B, a stopped lead is not called, and any other is.
 * @returns why the call is not dialed now; undefined if it may be. Every effect is one transaction
 */
export async function recheckLead(deps: RecheckLeadDeps, call: Call, org: OrgOfLead): Promise<string | undefined> {
  const { lead } = call;
  if (!lead || !isWaiting(call)) return undefined;
  const leadCall = { ...call, lead };
  const [connection, stopped] = await Promise.all([
    deps.connections.get(lead.connection_id),
    lead.test ? undefined : deps.stoppedLeads.get({ ...lead, org_id: call.org_id }),
  ]);
  const off = connection && whyOff(connection);
  if (!connection || off !== undefined)
    return stop(deps, call, { outcome: 'auto_call_disabled', reason: off ?? 'The connection no longer exists.' });
  const placed = leadFitsAt(call);
  // Another attempt was under way when a newer event of the lead stopped the call.
  const leadStop = leadStopOf(call);
  if (leadStop && (lead.crm === 'crm-a' || lead.test)) return stop(deps, call, leadStop);
  const isStopped = leadStop !== undefined || isStoppedSince(placed, stopped);
  const own = refuseOwnNumber(org, call.phone_number);
  const asKnown = async () => own && stop(deps, call, own);
  if (!isStopped && !isRecheckDue(leadCall, deps.now())) return asKnown();

  const event = { ...lead, lead: leadAsDialed(leadCall), test: false, at: placed, read_at: placed };
  const { needsConsent, ...fetched } = await fetchLead(deps, event, connection);
  const isUnread = fetched.notFetched?.outcome === 'crm_unavailable' && !needsConsent;
  if (isUnread && !isStopped) return asKnown();
  if (isUnread && leadStop) return stop(deps, call, leadStop);
  const known = asLastKnown(fetched.lead, fetched.readAt, stopped);
  const phone = dialablePhone(known, org.default_region);
  const isOther = phone !== undefined && phone !== call.phone_number;
  const onDoNotCallList = isOther && (await deps.doNotCall.has(org.org_id, phone));
  const notFetched = isUnread ? undefined : fetched.notFetched;
  const decision = decideLeadAlone({ lead: known, notFetched, connection, org, onDoNotCallList });
  if ('kind' in decision) return stop(deps, call, endOfCall(decision, known));
  return isOther ? renumber(deps, leadCall, { phone, readAt: fetched.readAt }, rateFor(org, phone)) : undefined;
}

/** Returns the lead as its call was placed, with the only phone that matters. */
const leadAsDialed = ({ lead, phone_number }: LeadCall): Lead => ({
  lead_id: lead.lead_id,
  phones: [phone_number],
  ...(lead.owner_id !== undefined && { owner_id: lead.owner_id }),
  do_not_call: false,
  fields: {},
});

const stop = async (
  deps: RecheckLeadDeps,
  call: Call,
  { outcome, reason }: Pick<LeadRefusal, 'outcome' | 'reason'>,
): Promise<string> =>
  (await withdrawCall(deps, call, 'canceled', outcome, { outcome, reason })) ? outcome : 'not_waiting';

/** Moves the call and its phone's claim to the lead's current phone, and restarts its dial. */
async function renumber(
  deps: RecheckLeadDeps,
  call: LeadCall,
  { phone, readAt }: { phone: string; readAt: string },
  rate: number,
): Promise<string> {
  const moved = movingDayClaims(deps.claims, call, { at: deps.now(), phone });
  const claims_day = moved.day ?? call.claims_day;
  const set = { phone_number: phone, claims_day, lead: { ...call.lead, read_at: readAt }, rate };
  const result = await changeTerms(deps, call, set, moved.writes);
  if (result.committed) return 'phone_changed';
  const taken = result.refused.call ? undefined : alreadyCalled(result.refused, phone);
  return taken ? cancelAsCalled(deps, call, taken) : 'not_waiting';
}
