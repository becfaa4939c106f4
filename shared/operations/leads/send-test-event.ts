import type { Connection } from '../../domain/connections/connection.ts';
import { newEventId, newToken } from '../../domain/ids.ts';
import type { LeadEvent } from '../../messages/lead-event.ts';
import type { QueueSender } from '../../stores/queue.ts';

export type SendTestEventDeps = { leadQueue: QueueSender<LeadEvent>; now: () => Date };

/** A lead that a person typed in. Its default owner is the connection's trigger owner. */
export type TestLead = { phone?: string | undefined; owner?: string | undefined; firstName?: string | undefined };

/**
 * Queues a synthetic lead. It is decided and called like a real lead, but the CRM is neither read nor written (interface,
 * "Send Test Event").
 * @returns the id of the event
 */
export async function sendTestEvent(
  deps: SendTestEventDeps,
  connection: Connection,
  { phone, owner = connection.trigger_owner_user_id, firstName }: TestLead,
): Promise<string> {
  const now = deps.now();
  const event_id = newEventId(now);
  await deps.leadQueue.send({
    event_id,
    connection_id: connection.connection_id,
    source: 'test',
    event: 'test',
    test: true,
    at: now.toISOString(),
    lead: {
      lead_id: `test-${newToken()}`,
      phones: phone === undefined ? [] : [phone],
      ...(owner !== undefined && { owner_id: owner }),
      do_not_call: false,
      fields: firstName === undefined ? {} : { FirstName: firstName },
    },
    payload_keys: [],
  });
  return event_id;
}
