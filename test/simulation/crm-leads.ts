import type { Lead } from '../../shared/domain/leads/lead.ts';
import { leadOf } from './tenants.ts';

/** Changes after which a lead must not be called. Without a phone, an event is refused for another reason. */
const stops: readonly Partial<Lead>[] = [
  { do_not_call: true },
  { do_not_call: true, phones: [] },
  { owner_id: 'owner-2' },
];

export type CrmLeads = ReturnType<typeof crmLeadsOf>;

/** The leads in the CRMs of all connections. Some change so that they must not be called, and some of these back. */
export function crmLeadsOf() {
  const changed = new Map<string, Partial<Lead>>();
  const keyOf = (connectionId: string, leadId: string) => `${connectionId} ${leadId}`;
  return {
    read: (connectionId: string, leadId: string): Lead => ({
      ...leadOf(leadId),
      ...changed.get(keyOf(connectionId, leadId)),
    }),
    isStopped: (connectionId: string, leadId: string): boolean => changed.has(keyOf(connectionId, leadId)),
    /** @param pick chooses one of the changes */
    stop: (connectionId: string, leadId: string, pick: (from: typeof stops) => Partial<Lead>): void =>
      void changed.set(keyOf(connectionId, leadId), pick(stops)),
    restore: (connectionId: string, leadId: string): void => void changed.delete(keyOf(connectionId, leadId)),
  };
}
