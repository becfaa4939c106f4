import { callIdFor } from '../../shared/domain/ids.ts';
import type { LeadEvent } from '../../shared/messages/lead-event.ts';
import { placeCall } from '../../shared/operations/calls/place-call.ts';
import { operatorOf } from './operators.ts';
import type { QueueParts } from './queues.ts';
import type { Service } from './service.ts';
import { createTenant, leadOf, type Tenant } from './tenants.ts';

const MINUTE_MS = 60_000;
const urls = ['https://client.example/hook', undefined, undefined];

/**
 * Clients, CRMs and operators: a burst of one organization, smaller numbers of the others, leads that change twice at
 * once, and requests that are repeated until they are answered.
 * @param requests requests and lead events in total
 */
export function trafficOf(parts: QueueParts, service: Service, requests: number) {
  const { timeline, random, processes } = parts;
  const now = () => timeline.date().toISOString();
  const promised = new Set<string>();
  const leads = Math.ceil(requests * 0.8);
  const tenants = Array.from({ length: random.whole(2, 6) }, (_, index) => createTenant(random, service, index, now()));
  const operators = operatorOf(parts, service);
  let open = 0;

  const sendLead = (tenant: Tenant, eventId: string, leadId = `L${random.whole(1, leads)}`): void => {
    const crm = random.pick(['a', 'b'] as const);
    const lead = leadOf(leadId);
    const event: LeadEvent = {
      event_id: eventId,
      connection_id: tenant.connections[crm],
      source: 'webhook',
      event: crm === 'a' ? 'owner_reassignment' : 'lead_edited',
      test: false,
      at: now(),
      lead: crm === 'a' ? lead : { ...lead, phones: [], fields: {} },
      payload_keys: [],
    };
    service.queues.leads.put(event);
    if (random.chance(0.15)) sendLead(tenant, `${eventId}b`, leadId);
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
      later(isOfBurst ? 0.03 : 1, () =>
        random.chance(0.35) ? void request(tenant, number) : sendLead(tenant, `evt_${number}`),
      );
    }
    for (let count = Math.ceil(requests / 15); count > 0; count -= 1)
      later(1.5, () => operators.operate(random.pick(tenants)));
  };

  /** At the end, all organizations get credit, and all their leads that can be retried are retried. */
  const settle = (): void => {
    for (const tenant of tenants) void operators.settle(tenant);
  };

  return { begin, settle, promised, leads, isOver: () => open === 0 && operators.isOver() };
}
