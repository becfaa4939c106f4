import type { Connection } from '../../../domain/connections/connection.ts';
import { decideLead, type LeadDecision } from '../../../domain/leads/lead-decision.ts';
import type { Organization } from '../../../domain/organizations/organization.ts';
import { type LeadEvent, originalEventId } from '../../../messages/lead-event.ts';
import type { FetchedLead } from './fetch-lead.ts';
import { type FindClaimsDeps, findClaims } from './find-claims.ts';
import { type GatherFactsDeps, gatherFacts } from './gather-facts.ts';

export type DecideEventDeps = GatherFactsDeps & FindClaimsDeps;

/**
 * Gathers the facts about an event and decides it. Writes nothing, so that it can also predict the outcome of a
 * hypothetical event.
 * @returns the decision, and the events that own claims on the lead, whose calls may wait
 */
export async function decideEvent(
  deps: DecideEventDeps,
  event: LeadEvent,
  fetched: FetchedLead,
  { connection, org, now }: { connection: Connection; org: Organization; now: Date },
): Promise<{ decision: LeadDecision; owners: string[] }> {
  const isSundayRetry = event.sunday_rnr_retry === true;
  const { phone, ...facts } = await gatherFacts(deps, fetched, { connection, org, isSundayRetry, now });
  const dialAt = facts.opening && !facts.opening.isOpen ? facts.opening.from : now;
  const leadId = fetched.lead.lead_id;
  const { ofLead: owners, ...claims } = await findClaims(deps, event, connection, { leadId, phone }, { dialAt, now });
  const decision = decideLead({ ...facts, ...claims, eventId: originalEventId(event) });
  return { decision, owners };
}
