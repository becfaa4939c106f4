import { callIdForLead } from '../../../shared/domain/ids.ts';
import type { LeadEvent } from '../../../shared/messages/lead-event.ts';
import {
  aGrantedConnection,
  CRM_B_OWNER,
  type CrmBConnection,
  connectsOften,
  disconnectAll,
} from '../../support/crm-b.ts';
import { aLeadEvent } from '../../support/leads.ts';
import { anOrg } from '../../support/orgs.ts';
import { aPhoneNumber } from '../../support/rest.ts';
import { crmB } from '../../support/stack.ts';
import { CREDITS, type Probe } from './rounds.ts';

/** What CRM-B's simulator must bear: many connections of one user, and calls that seem to begin in its future. */
export const manyConnections = { ...connectsOften, futureToleranceSeconds: 7_200 };

/** Connections of one file, which are gone when it is over. */
export function crmBConnections(): (settings?: Parameters<typeof aGrantedConnection>[1]) => Promise<CrmBConnection> {
  const made: CrmBConnection[] = [];
  beforeAll(() => crmB.settings(manyConnections));
  afterAll(() => disconnectAll(made));
  return async (settings) => {
    const connected = await aGrantedConnection(await anOrg({ credits: CREDITS }), settings);
    made.push(connected);
    return connected;
  };
}

/** A lead at CRM-B of which nobody is told, the event that names it, and the call that it is to become. */
export async function aNamedLead(
  connected: CrmBConnection,
): Promise<{ probe: Probe; event: LeadEvent; leadId: string }> {
  const phone = aPhoneNumber();
  const leadId = await crmB.createLead({ Last_Name: 'Iyer', Mobile: phone }, { quiet: true, owner: CRM_B_OWNER });
  const event = aLeadEvent(connected, { lead: { lead_id: leadId, phones: [], do_not_call: false, fields: {} } });
  return {
    probe: { org: connected.org, phone, callId: callIdForLead(event.connection_id, event.event_id) },
    event,
    leadId,
  };
}

/** Fails unless these leads have one call log and one note each. */
export async function expectWrittenOnce(leads: readonly string[]): Promise<void> {
  const [calls, notes] = await Promise.all([crmB.calls(), crmB.notes()]);
  const count = (written: readonly { leadId: string | null }[], lead: string) =>
    written.filter(({ leadId }) => leadId === lead).length;
  expect(leads.map((lead) => [lead, count(calls, lead), count(notes, lead)])).toEqual(
    leads.map((lead) => [lead, 1, 1]),
  );
}
