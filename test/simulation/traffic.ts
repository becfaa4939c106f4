import { callIdFor } from '../../shared/domain/ids.ts';
import type { Lead } from '../../shared/domain/leads/lead.ts';
import { createApiKey, hashApiKey } from '../../shared/domain/organizations/api-key.ts';
import { topUpEntry } from '../../shared/domain/organizations/ledger-entry.ts';
import type { LeadEvent } from '../../shared/messages/lead-event.ts';
import { cancelCall } from '../../shared/operations/calls/cancel-call.ts';
import { forceEndCall } from '../../shared/operations/calls/force-end-call.ts';
import { placeCall } from '../../shared/operations/calls/place-call.ts';
import { aConnection, aGrant, anAssistant, anOrg } from '../unit/support/items.ts';
import type { QueueParts } from './queues.ts';
import type { Service } from './service.ts';

const MINUTE_MS = 60_000;
const OWNER = 'owner-1';

type Tenant = { orgId: string; authorization: string; connections: { a: string; b: string } };

/** The lead of an id. Some leads share a phone. */
export const leadOf = (leadId: string): Lead => {
  const number = Number(leadId.replace(/\D/g, ''));
  return {
    lead_id: leadId,
    phones: [`+9198${String(10_000_000 + number - (number % 10 === 9 ? 1 : 0))}`],
    owner_id: OWNER,
    do_not_call: false,
    fields: { First_Name: 'Asha' },
  };
};

/**
 * Clients, CRMs and operators: a burst of one organization, smaller numbers of the others, requests that are repeated
 * until they are answered, and operators who pause, suspend, cancel, end and switch off.
 */
export function trafficOf(
  { timeline, random, processes }: QueueParts,
  { deps, tables, queues }: Service,
  requests: number,
) {
  const events: LeadEvent[] = [];
  const promised = new Set<string>();
  const leads = Math.ceil(requests * 0.8);
  let open = 0;

  const tenants = Array.from({ length: random.whole(2, 6) }, (_, index): Tenant => {
    const orgId = `org${index}`;
    const available = random.chance(0.15) ? 60_000 : 100_000_000;
    const limits = {
      ...(random.chance(0.3) && { max_live_calls: random.whole(1, 4) }),
      ...(random.chance(0.3) && { max_wait_minutes: random.whole(2, 30) }),
    };
    tables.put(
      'organizations',
      anOrg({ org_id: orgId, available, outbound_per_minute: 10_000, requests_per_minute: 10_000, ...limits }),
    );
    tables.put('credit-ledger', topUpEntry(orgId, 'start', available, timeline.date().toISOString()));
    tables.put('assistants', anAssistant({ assistant_id: `asst_${index}`, org_id: orgId }));
    const key = createApiKey(orgId);
    const created_at = timeline.date().toISOString();
    tables.put('api-keys', {
      key_hash: hashApiKey(key),
      key_id: `key_${index}`,
      org_id: orgId,
      name: 'k',
      permissions: ['calls:write'],
      created_at,
    });
    const connection = { org_id: orgId, assistant_id: `asst_${index}`, trigger_owner_user_id: OWNER };
    const connections = { a: `conn_a${index}`, b: `conn_b${index}` };
    tables.put(
      'connections',
      aConnection({ ...connection, connection_id: connections.a, type: 'crm-a', token_hash: 'hash' }),
    );
    const settings = {
      call_window_start: '09:00',
      call_window_end: random.pick(['21:00', '21:00', '12:00', '00:30']),
      exclude_sunday: random.chance(0.3),
    };
    tables.put('connections', aConnection({ ...connection, connection_id: connections.b, settings, grant: aGrant() }));
    return { orgId, authorization: `Bearer ${key}`, connections };
  });

  const sendLead = (tenant: Tenant, number: number): void => {
    const crm = random.pick(['a', 'b'] as const);
    const lead = leadOf(`L${random.whole(1, leads)}`);
    const event: LeadEvent = {
      event_id: `evt_${number}`,
      connection_id: tenant.connections[crm],
      source: 'webhook',
      event: crm === 'a' ? 'owner_reassignment' : 'lead_edited',
      test: false,
      at: timeline.date().toISOString(),
      lead: crm === 'a' ? lead : { ...lead, phones: [], fields: {} },
      payload_keys: [],
    };
    events.push(event);
    queues.leads.put(event);
  };

  /** A client repeats its request with the same idempotency key until it is answered. */
  const request = async (tenant: Tenant, number: number): Promise<void> => {
    const idempotency_key = `order-${random.chance(0.1) ? number - 1 : number}`;
    const phone_number = `+9197${String(10_000_000 + number)}`;
    const body = {
      phone_number,
      assistant_id: `asst_${tenant.orgId.slice(3)}`,
      metadata: {},
      idempotency_key,
      callback_url: undefined,
    };
    open += 1;
    for (let attempt = 0; ; attempt += 1) {
      const isDone = await processes.run('place-call', async () => {
        const requestId = `request-${number}-${attempt}`;
        const placing = await placeCall(deps, {
          requestId,
          authorization: tenant.authorization,
          body: { ok: true, request: body },
        });
        if ('call' in placing) promised.add(callIdFor(tenant.orgId, idempotency_key));
        return placing.kind;
      });
      if (isDone) break;
      await new Promise<void>((resolve) => timeline.after(random.whole(500, 20_000), resolve));
    }
    open -= 1;
  };

  const aCall = (): string => String(random.pick(tables.all('calls'))?.call_id ?? 'call_none');
  const operate = (name: string, work: () => Promise<unknown>): void =>
    void processes.run(`operator: ${name}`, work, false);
  const operations: Record<string, (tenant: Tenant) => void> = {
    cancel: () => {
      const callId = aCall();
      operate(`cancels ${callId}`, () => cancelCall(deps, callId));
    },
    end: () => {
      const callId = aCall();
      operate(`ends ${callId}`, () => forceEndCall(deps, callId));
    },
    pause: () => {
      operate('pauses', () => deps.slots.pause(timeline.date().toISOString()));
      timeline.after(random.whole(1, 15) * MINUTE_MS, () => operate('resumes', () => deps.slots.resume()));
    },
    suspend: ({ orgId }) => {
      const suspended_at = timeline.date().toISOString();
      operate(`suspends ${orgId}`, () => deps.organizations.update(orgId, { suspended_at }));
      timeline.after(random.whole(1, 30) * MINUTE_MS, () =>
        operate(`resumes ${orgId}`, () => deps.organizations.update(orgId, {}, ['suspended_at'])),
      );
    },
    switchOff: ({ connections: { b } }) => {
      operate(`switches off ${b}`, () => deps.connections.update(b, { auto_call: false }));
      timeline.after(random.whole(5, 60) * MINUTE_MS, () =>
        operate(`switches on ${b}`, () => deps.connections.update(b, { auto_call: true })),
      );
    },
  };
  const kinds = { cancel: 6, end: 6, pause: 1, suspend: 2, switchOff: 1 };

  const begin = (): void => {
    const spanMs = random.whole(10, 90) * MINUTE_MS;
    const later = (share: number, act: () => void) => {
      open += 1;
      timeline.after(random.next() * share * spanMs, () => {
        open -= 1;
        act();
      });
    };
    for (let number = 1; number <= requests; number += 1) {
      const isOfBurst = random.chance(0.5);
      const tenant = isOfBurst ? (tenants[0] as Tenant) : random.pick(tenants);
      later(isOfBurst ? 0.03 : 1, () =>
        random.chance(0.35) ? void request(tenant, number) : sendLead(tenant, number),
      );
    }
    for (let count = Math.ceil(requests / 25); count > 0; count -= 1)
      later(1.5, () => operations[random.weighted(kinds)]?.(random.pick(tenants)));
  };

  return { begin, events, promised, tenants, isOver: () => open === 0 };
}
