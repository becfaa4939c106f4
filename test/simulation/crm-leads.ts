import type { Lead } from '../../shared/domain/leads/lead.ts';
import { leadOf } from './tenants.ts';

/** Changes after which a lead must not be called. Without a phone, an event is refused for another reason. */
const stops: readonly Partial<Lead>[] = [
  { do_not_call: true },
  { do_not_call: true, phones: [] },
  { owner_id: 'owner-2' },
];

/** The leads in the CRMs of all connections. Some change, for good, so that they must not be called. */
export function crmLeadsOf() {
  const changed = new Map<string, Partial<Lead>>();
  const keyOf = (connectionId: string, leadId: string) => `${connectionId} ${leadId}`;
  return {
    read: (connectionId: string, leadId: string): Lead => ({
      ...leadOf(leadId),
      ...changed.get(keyOf(connectionId, leadId)),
    }),
    /** @param pick chooses one of the changes */
    stop: (connectionId: string, leadId: string, pick: (from: typeof stops) => Partial<Lead>): void => {
      const key = keyOf(connectionId, leadId);
      if (!changed.has(key)) changed.set(key, pick(stops));
    },
  };
}
