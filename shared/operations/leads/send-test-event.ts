import type { Connection } from '../../domain/connections/connection.ts';
import { newToken, testEventId } from '../../domain/ids.ts';
import { type Actor, actorKey, actorName } from '../../domain/organizations/audit/audit-entry.ts';
import { secondsToNextMinute } from '../../domain/organizations/rate-limit.ts';
import { maskPhone } from '../../domain/text/phone-number.ts';
import type { LeadEvent } from '../../messages/lead-event.ts';
import type { AuditStore } from '../../stores/organizations/audit.ts';
import type { RateLimitStore } from '../../stores/organizations/rate-limits.ts';
import type { QueueSender } from '../../stores/queue.ts';
import { type AuditConnectionDeps, auditConnection } from '../connections/steps/audit-connection.ts';

export type SendTestEventDeps = AuditConnectionDeps & {
  audit: Pick<AuditStore, 'addingActionMark'>;
  leadQueue: QueueSender<LeadEvent>;
  /** Undefined for operators, who are not limited. */
  rateLimits?: Pick<RateLimitStore, 'count'>;
};

/** A lead that a person entered. Its default owner is the connection's trigger owner. */
export type TestLead = { phone?: string | undefined; owner?: string | undefined; firstName?: string | undefined };

export type SendingTestEvent =
  | { kind: 'sent'; event_id: string }
  /** A help desk receives no leads. */
  | { kind: 'no_leads' }
  | { kind: 'too_many'; resetSeconds: number };

/**
 * The maximum per organization and clock minute, because each event leads to a real call (docs/dashboard.md,
 * "Connections").
 */
const MAX_OF_AN_ORG = 10;

/**
 * Queues a synthetic lead. It is decided and called like a real lead, but the CRM is neither read nor written
 * (docs/leads.md, "Test events"). The audit entry is written first, so that a crash leaves no event without an entry.
 * @param idempotencyKey a repeat with the same key is the same event, which leads to one call and adds no entry;
 * absent if the request is never repeated
 */
export async function sendTestEvent(
  deps: SendTestEventDeps,
  actor: Actor,
  connection: Connection,
  { phone, owner = connection.trigger_owner_user_id, firstName }: TestLead,
  idempotencyKey: string = newToken(),
): Promise<SendingTestEvent> {
  if (connection.type === 'help-desk') return { kind: 'no_leads' };
  const now = deps.now();
  const epochMs = now.getTime();
  const events = (await deps.rateLimits?.count(`test-event#${connection.org_id}`, epochMs)) ?? 0;
  if (events > MAX_OF_AN_ORG) return { kind: 'too_many', resetSeconds: secondsToNextMinute(epochMs) };
  const request = [actorKey(actor), idempotencyKey, phone ?? '', owner ?? '', firstName ?? ''];
  const event_id = testEventId(connection.connection_id, ...request);
  const after = { event_id, ...(phone !== undefined && { phone: maskPhone(phone) }) };
  await deps.transact({
    audit: auditConnection(deps, actor, connection, 'connection.test_event_sent', { after }),
    mark: deps.audit.addingActionMark(connection.org_id, event_id, now),
  });
  await deps.leadQueue.send({
    event_id,
    connection_id: connection.connection_id,
    source: 'test',
    event: 'test',
    test: true,
    asked_by: actorName(actor),
    at: now.toISOString(),
    lead: {
      lead_id: `test-${event_id}`,
      phones: phone === undefined ? [] : [phone],
      ...(owner !== undefined && { owner_id: owner }),
      do_not_call: false,
      fields: firstName === undefined ? {} : { FirstName: firstName },
    },
    payload_keys: [],
  });
  return { kind: 'sent', event_id };
}
