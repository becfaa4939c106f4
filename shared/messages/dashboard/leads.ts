import * as z from 'zod/mini';
import { callStatuses } from '../../domain/calls/call-status.ts';
import { leadEventKinds, leadSources, outcomes, retryableOutcomes } from '../../domain/connections/activity.ts';
import { connectionStatuses } from '../../domain/connections/connection-health.ts';
import { checkStates, leadChecks } from '../../domain/leads/lead-checks.ts';
import { outcomeGroups } from '../../domain/leads/outcome-groups.ts';
import { orNewer } from '../../domain/newer-values.ts';
import { trimmedText } from '../../domain/text/trimmed-text.ts';
import { instant, page } from './page.ts';
import type { DashboardRoute } from './route.ts';

const text = z.nullable(z.string());
const crmTypes = ['crm-a', 'crm-b'] as const;
const crm = z.enum(crmTypes);
/** Whether to list only test events (`only`) or only real ones (`none`); absent for both. */
const tests = z.enum(['only', 'none']);

/** A call as a lead's row shows it. */
const calledAs = z.object({ id: z.string(), status: z.nullable(orNewer(callStatuses)), ended_reason: text });

/** An entry of Activity. */
export const leadEventRow = z.object({
  id: z.string(),
  at: z.string(),
  connection_id: z.string(),
  crm: orNewer(crmTypes),
  source: orNewer([...leadSources, 'dial']),
  event: orNewer(leadEventKinds),
  is_test: z.boolean(),
  lead_id: text,
  phone_masked: text,
  owner_id: text,
  outcome: orNewer(outcomes),
  reason: z.string(),
  call: z.nullable(calledAs),
  /**
   * Whether another entry of the event supersedes this one, which is then in no group and no count. Absent in answers
   * of version 0.9.0.
   */
  is_superseded: z.optional(z.boolean()),
  scheduled_for: text,
  payload_keys: z.array(z.string()),
});

export type LeadEventRow = z.infer<typeof leadEventRow>;

const retryableCount = z.object({ connection_id: z.string(), outcome: orNewer(retryableOutcomes), events: z.number() });

const leadEventCounts = z.object({
  /** The number of entries by outcome, including outcomes of newer versions, without superseded entries. */
  outcomes: z.record(z.string(), z.number()),
  /** Events whose last try may be repeated, by connection and outcome. */
  retryable: z.array(retryableCount),
  /**
   * Retryable events with outcomes that the pages of version 0.9.0 refuse in `retryable`. Absent in answers of that
   * version. Pages since version 0.10.0 read any outcome in `retryable`.
   */
  also_retryable: z.optional(z.array(retryableCount)),
});

export type LeadEventCounts = z.infer<typeof leadEventCounts>;

export const listLeadEvents = {
  method: 'GET',
  path: '/lead-events',
  role: 'viewer',
  query: z.object({
    ...page,
    group: z.optional(z.enum(outcomeGroups)),
    outcome: z.optional(z.enum(outcomes)),
    crm: z.optional(crm),
    tests: z.optional(tests),
    /** When the event was queued, both inclusive. */
    from: z.optional(instant),
    to: z.optional(instant),
    /** Counts the matches instead of listing them. */
    count: z.optional(z.literal('true')),
  }),
  answer: z.object({
    items: z.array(leadEventRow),
    next: z.nullable(z.string()),
    /** How far a filtered list, or a count, has searched. */
    searched_to: text,
    counts: z.nullable(leadEventCounts),
  }),
} as const satisfies DashboardRoute;

/** The maximum length of a search text. */
export const MAX_SEARCH_CHARACTERS = 200;

const check = z.object({ check: z.enum(leadChecks), state: z.enum(checkStates) });

const knownCall = z.object({
  id: z.string(),
  status: orNewer(callStatuses),
  ended_reason: text,
  placed_at: z.string(),
  scheduled_for: text,
  duration: z.nullable(z.number()),
});

const explanation = z.object({
  /** How the search text was read: as a number in E.164, as a lead id, or as both. */
  asked: z.object({ phone: text, lead_id: z.string() }),
  verdict: z.nullable(
    z.object({
      outcome: orNewer(outcomes),
      reason: z.string(),
      at: z.string(),
      event_id: z.string(),
      connection_id: z.string(),
      crm,
      lead_id: text,
      is_test: z.boolean(),
      checks: z.array(check),
      /** The lead's owner, and the owner whose leads are called. */
      owner: z.object({ lead: text, wanted: text }),
      /** The event's own call. */
      call: z.nullable(knownCall),
      /** The call of another event that prevented it. */
      other_call: z.nullable(knownCall),
    }),
  ),
  /** How another event of this lead would be decided now; null if no event is known. */
  now: z.nullable(
    z.object({
      outcome: z.nullable(orNewer(outcomes)),
      /** Why there is no outcome: the number is unknown, or CRM-B's access token has expired and is not renewed yet. */
      unknown: z.nullable(z.enum(['phone', 'access'])),
      reason: text,
      /** When its call window opens. */
      opens_at: text,
      checks: z.array(check),
    }),
  ),
  /** Facts about the number that need no event; null if no number is known. */
  number: z.nullable(
    z.object({
      /** E.164: from the search text, or from a call to the lead. */
      phone: z.string(),
      phone_masked: z.string(),
      is_own: z.boolean(),
      /** `by`: who put it on the list, unless the person requested it in the call. */
      do_not_call: z.nullable(z.object({ since: z.string(), call_id: text, by: text })),
    }),
  ),
  /** Newest first. */
  events: z.array(leadEventRow),
  /** Whether there are older events. */
  has_more_events: z.boolean(),
  /** Newest first. */
  calls: z.array(knownCall),
  connections: z.array(
    z.object({
      connection_id: z.string(),
      crm,
      auto_call: z.boolean(),
      health: z.enum(connectionStatuses),
      health_reason: text,
      last_delivery_at: text,
      last_rejection: z.nullable(z.object({ at: z.string(), reason: z.string() })),
    }),
  ),
});

export type Explanation = z.infer<typeof explanation>;

export const explainLead = {
  method: 'GET',
  path: '/lead-events/explanation',
  role: 'viewer',
  query: z.object({
    /** A phone number in any usual form, or a lead id. */
    q: trimmedText(MAX_SEARCH_CHARACTERS),
  }),
  answer: explanation,
} as const satisfies DashboardRoute;

export const retryLeads = {
  method: 'POST',
  path: '/connections/{id}/retries',
  role: 'admin',
  request: z.strictObject({
    outcome: z.enum(retryableOutcomes),
    /** When the events were queued, both inclusive. */
    since: instant,
    until: z.optional(instant),
    tests: z.optional(tests),
    /** The `next` of the previous slice. */
    next: z.optional(page.next),
  }),
  /** One slice; the rest requires further requests. */
  answer: z.object({ queued: z.number(), next: z.nullable(z.string()) }),
} as const satisfies DashboardRoute;

export type RetryBody = z.infer<typeof retryLeads.request>;
export type RetrySlice = z.infer<typeof retryLeads.answer>;
