import { leadClaimKey, phoneClaimKey } from '../../../shared/domain/calls/dialing/day-claims.ts';
import type { ActivityEntry } from '../../../shared/domain/connections/activity.ts';
import type { Connection } from '../../../shared/domain/connections/connection.ts';
import { callIdForLead } from '../../../shared/domain/ids.ts';
import type { LeadEvent } from '../../../shared/messages/lead-event.ts';
import type { Contents, Send } from './worlds/database.ts';
import { aConnection, MONDAY, ORG } from './worlds/items.ts';
import { CONNECTION, leadWorld, OWNER, PHONE } from './worlds/lead-world.ts';
import { START } from './worlds/world.ts';

/** The call of the event `evt_1`. */
export const CALL = callIdForLead(CONNECTION, 'evt_1');

export const leadKey = (day = MONDAY, leadId = 'lead-1', connectionId = CONNECTION) =>
  leadClaimKey(connectionId, leadId, day);
export const phoneKey = (day = MONDAY, orgId = ORG) => phoneClaimKey(orgId, PHONE, day);

export const aCrmAConnection = (over: Partial<Connection> = {}): Connection =>
  aConnection({
    type: 'crm-a',
    assistant_id: 'asst_1',
    trigger_owner_user_id: OWNER,
    token_hash: 'hash',
    last_delivery_at: START,
    ...over,
  });

/** A lead of CRM-A, whose delivery contains all its data. */
export const aCrmAEvent = (over: Partial<LeadEvent> = {}, lead: Partial<LeadEvent['lead']> = {}): LeadEvent => ({
  event_id: 'evt_1',
  connection_id: CONNECTION,
  source: 'webhook',
  event: 'owner_reassignment',
  test: false,
  at: START,
  lead: {
    lead_id: 'lead-1',
    phones: ['n/a', '98765 43210'],
    owner_id: OWNER,
    do_not_call: false,
    fields: { FirstName: 'Asha' },
    ...lead,
  },
  payload_keys: ['ProspectID', 'Phone'],
  ...over,
});

/** The operations of the lead world for a connection of CRM-A, which is never queried for a lead. */
export function crmALeads(over: Contents = {}, wrap?: (send: Send) => Send) {
  const world = leadWorld({ connections: [aCrmAConnection()], ...over }, wrap);
  world.now = START;
  world.crm = () => {
    throw new Error('CRM-A is never queried');
  };
  const { process } = world;
  return Object.assign(world, {
    process: (event: LeadEvent = aCrmAEvent()) => process(event),
    entries: () => world.all('activity') as ActivityEntry[],
  });
}
