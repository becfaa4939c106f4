import type { Lead } from '../../shared/domain/leads/lead.ts';

/** The trigger owner of all connections. */
export const OWNER = 'owner-1';

/** Returns the lead with this id, unchanged. Some leads share a phone. */
const leadOf = (leadId: string): Lead => {
  const number = Number(leadId.replace(/\D/g, ''));
  return {
    lead_id: leadId,
    phones: [`+9198${String(10_000_000 + number - (number % 10 === 9 ? 1 : 0))}`],
    owner_id: OWNER,
    do_not_call: false,
    fields: { First_Name: 'Asha' },
  };
};

/** Changes after which a lead must not be called. The missing phone gives an event another outcome. */
const stops: readonly Partial<Lead>[] = [
  { do_not_call: true },
  { do_not_call: true, phones: [] },
  { owner_id: 'owner-2' },
];

export type CrmLeads = ReturnType<typeof crmLeadsOf>;

/**
 * Simulates the leads in the CRMs of all connections. Some change so that they must not be called; some of these change
 * back.
 * @param now ISO 8601
 */
export function crmLeadsOf(now: () => string) {
  const changed = new Map<string, Partial<Lead>>();
  const restored = new Map<string, string>();
  const flagged = new Set<string>();
  const keyOf = (connectionId: string, leadId: string) => `${connectionId} ${leadId}`;
  const isStopped = (connectionId: string, leadId: string): boolean => changed.has(keyOf(connectionId, leadId));
  return {
    read: (connectionId: string, leadId: string): Lead => ({
      ...leadOf(leadId),
      ...changed.get(keyOf(connectionId, leadId)),
    }),
    isStopped,
    /** Returns whether the lead had changed back by this instant (ISO 8601) and has stayed so. */
    isRestored: (connectionId: string, leadId: string, at: string): boolean =>
      !isStopped(connectionId, leadId) && (restored.get(keyOf(connectionId, leadId)) ?? '9999') <= at,
    /** @param pick chooses one of the changes */
    stop: (connectionId: string, leadId: string, pick: (from: typeof stops) => Partial<Lead>): void => {
      const change = pick(stops);
      changed.set(keyOf(connectionId, leadId), change);
      if (change.do_not_call) flagged.add(keyOf(connectionId, leadId));
    },
    /** Returns whether the lead has had the do-not-call flag at any time. */
    wasFlagged: (connectionId: string, leadId: string): boolean => flagged.has(keyOf(connectionId, leadId)),
    restore: (connectionId: string, leadId: string): void => {
      changed.delete(keyOf(connectionId, leadId));
      restored.set(keyOf(connectionId, leadId), now());
    },
  };
}
