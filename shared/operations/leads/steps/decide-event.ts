import type { Connection } from '../../../domain/connections/connection.ts';
import type { Lead } from '../../../domain/leads/lead.ts';
import { decideLead, type LeadDecision } from '../../../domain/leads/lead-decision.ts';
import { asLastKnown } from '../../../domain/leads/stopped-lead.ts';
import type { Organization } from '../../../domain/organizations/organization.ts';
import { type LeadEvent, originalEventId } from '../../../messages/lead-event.ts';
import type { StoppedLeadStore } from '../../../stores/leads/stopped-leads.ts';
import type { FetchedLead } from './fetch-lead.ts';
import { type FindClaimsDeps, findClaims } from './find-claims.ts';
import { type GatherFactsDeps, gatherFacts } from './gather-facts.ts';

export type DecideEventDeps = GatherFactsDeps & FindClaimsDeps & { stoppedLeads: Pick<StoppedLeadStore, 'get'> };

type Decided = {
  decision: LeadDecision;
  lead: Lead;
  owners: readonly string[];
  phone: string | undefined;
  /** The call that holds the claim on the phone. */
  phoneCall: string | undefined;
  /** The time of the claim by which a person canceled a call of the lead. */
  canceledAt: string | undefined;
};

/**
 * Gathers the facts about an event and decides it. Writes nothing, so that it can also predict the outcome of a
 * hypothetical event.
 * @returns the decision, the lead with the owner and the flag that the CRM named last, the events that own claims on
 * the lead, the phone with the call that claims it, and a person's cancelation
 */
export async function decideEvent(
  deps: DecideEventDeps,
  event: LeadEvent,
  fetched: FetchedLead,
  { connection, org, now }: { connection: Connection; org: Organization; now: Date },
): Promise<Decided> {
  const isSundayRetry = event.sunday_rnr_retry === true;
  const { org_id, connection_id } = connection;
  const { lead_id } = fetched.lead;
  const [{ phone, ...facts }, stop] = await Promise.all([
    gatherFacts(deps, fetched, { connection, org, isSundayRetry, now }),
    lead_id === undefined || event.test ? undefined : deps.stoppedLeads.get({ org_id, connection_id, lead_id }),
  ]);
  const lead = asLastKnown(fetched.lead, fetched.readAt, stop);
  const dialAt = facts.opening && !facts.opening.isOpen ? facts.opening.from : now;
  const { phoneCall, canceledAt, ...claims } = await findClaims(
    deps,
    event,
    connection,
    { leadId: lead_id, phone, changedAt: fetched.changedAt },
    { dialAt, now },
  );
  const decision = decideLead({ ...facts, ...claims, lead, eventId: originalEventId(event) });
  return { decision, lead, owners: claims.claimedBy.lead, phone, phoneCall, canceledAt };
}
