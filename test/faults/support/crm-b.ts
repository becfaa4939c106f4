import type { Call } from '../../../shared/domain/calls/call.ts';
import { claimFor } from '../../../shared/domain/calls/dialing/claim.ts';
import { dayClaimKeys } from '../../../shared/domain/calls/dialing/day-claims.ts';
import { scheduledCall } from '../../../shared/domain/calls/placing/new-call.ts';
import { callIdForLead } from '../../../shared/domain/ids.ts';
import { istDay } from '../../../shared/domain/time/ist-day.ts';
import type { LeadEvent } from '../../../shared/messages/lead-event.ts';
import {
  aCrmBConnection,
  aGrantedConnection,
  type CrmBConnection,
  connectsOften,
  disconnectAll,
} from '../../support/connections/crm-b.ts';
import { activityOf, aLeadEvent } from '../../support/leads/leads.ts';
import { anOrg, stores } from '../../support/organizations/orgs.ts';
import { aPhoneNumber } from '../../support/rest/rest.ts';
import { crmB, now } from '../../support/stack/stack.ts';
import { CREDITS, type Probe } from './probes.ts';
import { expectCompletedOnce } from './promises.ts';

/** The simulator must accept many connections of one user, and calls that seem to start in its future. */
const manyConnections = { ...connectsOften, futureToleranceSeconds: 7_200 };

const WINDOW_MS = 8 * 3_600_000;

let users = 0;

/**
 * Makes a CRM with one user. No other connection sees its leads, not even one that catches up.
 * @returns the user's id.
 */
async function aCrm(): Promise<string> {
  users += 1;
  const ownerId = String(Date.now() * 100 + (users % 100));
  await crmB.user(ownerId, { name: 'Asha Rao', email: `${ownerId}@example.com`, org: crmOf(ownerId) });
  return ownerId;
}

const crmOf = (ownerId: string): string => `crm of ${ownerId}`;

/** A lead that qualifies for the connection, in the CRM's format. */
export const newLead = ({ ownerId }: Pick<CrmBConnection, 'ownerId'>, phone = aPhoneNumber()) => ({
  fields: { Last_Name: 'Rao', Mobile: phone },
  owner: ownerId,
  org: crmOf(ownerId),
});

/** A lead in the connection's own CRM that sends no notification. */
export async function aQuietLeadOf(connected: CrmBConnection, phone = aPhoneNumber()): Promise<string> {
  const [leadId = ''] = await crmB.putLeads([{ ...newLead(connected, phone), quiet: true }]);
  return leadId;
}

/** Connections of one test file, removed at its end. */
export function crmBConnections(): (settings?: Parameters<typeof aGrantedConnection>[1]) => Promise<CrmBConnection> {
  const made: CrmBConnection[] = [];
  beforeAll(() => crmB.settings(manyConnections));
  afterAll(() => disconnectAll(made));
  return async (settings) => {
    const [org, ownerId] = await Promise.all([anOrg({ credits: CREDITS }), aCrm()]);
    const connected = await aGrantedConnection(org, { trigger_owner_user_id: ownerId, ...settings });
    made.push(connected);
    return connected;
  };
}

/** An organization with 10,000 credits and a consented connection to its own CRM. */
export async function aConsentedConnection(org: Parameters<typeof anOrg>[0] = {}): Promise<CrmBConnection> {
  const ownerId = await aCrm();
  await crmB.settings({ ...manyConnections, consentUser: ownerId });
  const connected = await aCrmBConnection(
    { trigger_owner_user_id: ownerId },
    await anOrg({ credits: CREDITS, ...org }),
  );
  await crmB.settings({ consentUser: null });
  return connected;
}

/** A CRM-B lead that sends no notification, its event, and the id of its future call. */
export async function aNamedLead(
  connected: CrmBConnection,
): Promise<{ probe: Probe; event: LeadEvent; leadId: string }> {
  const phone = aPhoneNumber();
  const leadId = await aQuietLeadOf(connected, phone);
  const event = aLeadEvent(connected, { lead: { lead_id: leadId, phones: [], do_not_call: false, fields: {} } });
  return {
    probe: { org: connected.org, phone, callId: callIdForLead(event.connection_id, event.event_id) },
    event,
    leadId,
  };
}

/** The event's call while it waits for its window. @param from when the window opens */
export async function aScheduledCall(
  { org, connectionId, assistantId }: CrmBConnection,
  { probe: { callId, phone }, event, leadId }: Awaited<ReturnType<typeof aNamedLead>>,
  from: Date,
): Promise<Call> {
  const [organization, assistant] = await Promise.all([
    stores.organizations.get(org.orgId),
    stores.assistants.get(assistantId),
  ]);
  if (!organization || !assistant) throw new Error('the org does not exist');
  const [day, owner] = [istDay(from), { ownerId: event.event_id, callId, now: now() }];
  const lead = {
    crm: 'crm-b' as const,
    connection_id: connectionId,
    lead_id: leadId,
    event_id: event.event_id,
    event: event.event,
    test: false,
    fields: {},
    first_scheduled_for: from.toISOString(),
  };
  const call = scheduledCall(
    {
      call_id: callId,
      request_id: event.event_id,
      phone_number: phone,
      request_metadata: { source: 'crm-b', connection_id: connectionId, lead_id: leadId },
      lead,
      claims_day: day,
      crm_b_sync: 'pending',
    },
    organization,
    assistant,
    now(),
    { from, to: new Date(from.getTime() + WINDOW_MS) },
  );
  const keys = dayClaimKeys(call, lead, day);
  await stores.transact({
    call: stores.calls.creation(call),
    lead: stores.claims.taking(claimFor(keys.lead, owner)),
    phone: stores.claims.taking(claimFor(keys.phone, owner)),
  });
  return call;
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

/** Settles these waiting calls, and fails unless each was released, rang and was written to CRM-B once. */
export async function expectReleasedOnce(
  released: readonly (Awaited<ReturnType<typeof aNamedLead>> & { connected: CrmBConnection })[],
): Promise<void> {
  const calls = await expectCompletedOnce(released.map(({ probe }) => probe));
  for (const { holds } of calls) expect(holds).toBe(1);
  for (const { connected, event, probe } of released)
    expect(await activityOf(connected, 1)).toMatchObject([
      {
        source: 'release',
        outcome: 'call queued',
        call_id: probe.callId,
        event_id: expect.stringContaining(`${event.event_id}.release.`),
      },
    ]);
  await expectWrittenOnce(released.map(({ leadId }) => leadId));
}
