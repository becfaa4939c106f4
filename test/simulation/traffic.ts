import type { Call } from '../../shared/domain/calls/call.ts';
import { callIdFor } from '../../shared/domain/ids.ts';
import type { LeadEvent } from '../../shared/messages/lead-event.ts';
import { placeCall } from '../../shared/operations/calls/place-call.ts';
import type { CrmLeads } from './crm-leads.ts';
import { operatorOf } from './operators.ts';
import type { QueueParts } from './queues.ts';
import type { Service } from './service.ts';
import { createTenant, type Tenant } from './tenants.ts';

const MINUTE_MS = 60_000;
const urls = ['https://client.example/hook', undefined, undefined];

/**
 * Simulates clients, CRMs and operators: a burst of one organization, fewer calls of the others, leads that change
 * twice at once or must no longer be called, and requests that are repeated until they are answered.
 * @param requests requests and lead events in total @param isCrowded whether many organizations call at once
 */
export function trafficOf(
  parts: QueueParts,
  service: Service,
  { requests, crmLeads, isCrowded }: { requests: number; crmLeads: CrmLeads; isCrowded: boolean },
) {
  const { timeline, random, processes } = parts;
  const now = () => timeline.date().toISOString();
  const promised = new Set<string>();
  const leads = Math.ceil(requests * 0.8);
  const count = isCrowded ? random.whole(14, 18) : random.whole(2, 6);
  const tenants = Array.from({ length: count }, (_, index) => createTenant(random, service, index, now()));
  const operators = operatorOf(parts, service);
  let open = 0;

  const sendEvent = (crm: 'a' | 'b', connection_id: string, eventId: string, leadId: string): void => {
    const lead = crmLeads.read(connection_id, leadId);
    const event: LeadEvent = {
      event_id: eventId,
      connection_id,
      source: 'webhook',
      event: crm === 'a' ? 'owner_reassignment' : 'lead_edited',
      test: false,
      at: now(),
      lead: crm === 'a' ? lead : { ...lead, phones: [], fields: {} },
      payload_keys: [],
    };
    service.queues.leads.put(event);
  };
  const sendLead = (tenant: Tenant, eventId: string, leadId = `L${random.whole(1, leads)}`): void => {
    const crm = random.pick(['a', 'b'] as const);
    sendEvent(crm, tenant.connections[crm], eventId, leadId);
    if (random.chance(0.15)) sendLead(tenant, `${eventId}b`, leadId);
  };

  /**
   * Changes the lead of an open call in its CRM so that it must not be called, and some leads back within minutes. Half
   * of the time, chooses a call that is already dialed, if there is one.
   */
  const stopLead = (number: number): void => {
    const unfinishedCalls = (service.tables.all('calls') as unknown as Call[]).filter(
      ({ lead, unfinished }) => lead && unfinished && unfinished !== 'ended',
    );
    const dialed = unfinishedCalls.filter(({ status, dial_claimed_at }) => status === 'dialing' && dial_claimed_at);
    const among = dialed.length > 0 && random.chance(0.5) ? dialed : unfinishedCalls;
    if (among.length === 0) return;
    const { crm, connection_id, lead_id } = random.pick(among).lead as NonNullable<Call['lead']>;
    const send = (eventId: string) => sendEvent(crm === 'crm-a' ? 'a' : 'b', connection_id, eventId, lead_id);
    crmLeads.stop(connection_id, lead_id, random.pick);
    send(`evt_stop_${number}`);
    if (random.chance(0.6)) return;
    open += 1;
    timeline.after(random.whole(1, random.pick([5, 600])) * 1_000, () => {
      open -= 1;
      crmLeads.restore(connection_id, lead_id);
      send(`evt_restored_${number}`);
    });
  };

  const request = async (tenant: Tenant, number: number): Promise<void> => {
    const { orgId, authorization } = tenant;
    const idempotency_key = `order-${random.chance(0.1) ? number - 1 : number}`;
    const phone_number = `+9197${String(10_000_000 + number)}`;
    const asked = {
      phone_number,
      assistant_id: tenant.assistantId,
      metadata: {},
      callback_url: urls[number % urls.length],
    };
    const body = { ok: true, request: { ...asked, idempotency_key } } as const;
    open += 1;
    for (let attempt = 0; ; attempt += 1) {
      const isAnswered = await processes.run('place-call', async () => {
        const placing = await placeCall(service.deps, {
          requestId: `${number}-${attempt}`,
          authorization,
          from: {},
          body,
        });
        if ('call' in placing) promised.add(callIdFor(orgId, idempotency_key));
        return placing.kind;
      });
      if (isAnswered) break;
      await new Promise<void>((resolve) => timeline.after(random.whole(500, 20_000), resolve));
    }
    open -= 1;
  };

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
      later(isOfBurst || isCrowded ? 0.03 : 1, () =>
        random.chance(0.35) ? void request(tenant, number) : sendLead(tenant, `evt_${number}`),
      );
    }
    for (let count = Math.ceil(requests / 15); count > 0; count -= 1)
      later(1.5, () => operators.operate(random.pick(tenants)));
    for (let number = Math.ceil(requests / 8); number > 0; number -= 1) later(1.2, () => stopLead(number));
  };

  /** Gives all organizations credit, at the end, and retries all their leads that can be retried. */
  const settle = (): void => {
    for (const tenant of tenants) void operators.settle(tenant);
  };

  return { begin, settle, promised, leads, isOver: () => open === 0 && operators.isOver() };
}
