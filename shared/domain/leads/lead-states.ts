import type { ActivityEntry } from '../connections/activity.ts';
import type { Shown } from '../newer-values.ts';
import { isWaitEntry } from './long-wait.ts';

type Entry = Pick<Shown<ActivityEntry>, 'connection_id' | 'event_id' | 'at' | 'lead_id' | 'outcome' | 'test'>;

/** The outcome of a lead in a time span. */
export type LeadState = { connection_id: string; state: 'called' | 'waiting' | 'not_called'; outcome: string };

export type LeadCounts = {
  leads: number;
  called: number;
  waiting: number;
  not_called: number;
  /** The leads that were not called, by the outcome of their newest event. */
  outcomes: Record<string, number>;
};

const rank = { not_called: 0, waiting: 1, called: 2 } as const;

/**
 * Returns each lead's outcome, from its entries: a lead counts as called if one of its events was, whatever the outcome
 * of the others. Omits test events and events without a lead.
 * @param entries newest first
 */
export function leadStates(entries: readonly Entry[]): LeadState[] {
  const events = new Set<string>();
  const leads = new Map<string, LeadState>();
  // The decision of an event follows the wait for its CRM, but has the same time.
  const ordered = [...entries.filter((entry) => !isWaitEntry(entry)), ...entries.filter(isWaitEntry)];
  for (const entry of ordered) {
    const { connection_id, event_id, lead_id, outcome, test } = entry;
    // Entries about the same event have its id and a suffix. The newest one has its outcome.
    const [event = event_id] = event_id.split('.', 1);
    const key = `${connection_id} ${event}`;
    // A call that meets a spend limit keeps waiting, like one that waits for a line.
    if (test || outcome === 'ignored' || outcome === 'spend_limit_reached' || events.has(key)) continue;
    events.add(key);
    const lead = lead_id === undefined ? key : `${connection_id} lead ${lead_id}`;
    const state = stateOf(entry);
    const known = leads.get(lead);
    if (!known || rank[state] > rank[known.state]) leads.set(lead, { connection_id, state, outcome });
  }
  return [...leads.values()];
}

function stateOf(entry: Pick<Entry, 'outcome' | 'event_id'>): LeadState['state'] {
  if (entry.outcome === 'call queued') return 'called';
  return entry.outcome === 'call scheduled' || isWaitEntry(entry) ? 'waiting' : 'not_called';
}

/** Counts leads by their outcome. */
export function countLeads(states: readonly LeadState[]): LeadCounts {
  const counts: LeadCounts = { leads: states.length, called: 0, waiting: 0, not_called: 0, outcomes: {} };
  for (const { state, outcome } of states) {
    counts[state] += 1;
    if (state === 'not_called') counts.outcomes[outcome] = (counts.outcomes[outcome] ?? 0) + 1;
  }
  return counts;
}
