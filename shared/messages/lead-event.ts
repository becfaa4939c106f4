import * as z from 'zod/mini';
import { leadEventKinds, leadSources } from '../domain/connections/activity.ts';
import type { Connection } from '../domain/connections/connection.ts';
import { leadSchema } from '../domain/leads/lead.ts';
import { receivedLeadTime } from '../domain/leads/stopped-lead.ts';

/** A message on the queue lead-events: a change of a lead, with truncated fields. It never contains the raw body. */
export const leadEvent = z.object({
  /** Assigned by the sender, so that a repeated message is recognized. */
  event_id: z.string(),
  /** The event that this one repeats. They share one call. */
  original_event_id: z.optional(z.string()),
  connection_id: z.string(),
  source: z.enum(leadSources),
  event: z.enum(leadEventKinds),
  test: z.boolean(),
  /** When it was queued. */
  at: z.string(),
  /** When the original event was queued. A lead that was called since that day is not called again. */
  original_at: z.optional(z.string()),
  /** In a retry after the end of a call, the time of that call's lead, because the retry has the same lead. */
  read_at: z.optional(z.string()),
  /**
   * When the lead changed: the time at which CRM-B sent the notification, however late it arrived, or the time in its
   * list.
   */
  changed_at: z.optional(z.string()),
  /** When a lead that the catch-up lists was created, if the gap contains that time. */
  created_at: z.optional(z.string()),
  /** For CRM-B, only the id. The rest is fetched before the decision. */
  lead: leadSchema,
  /** Who sent a test event or retried the event: a member's e-mail address, or an operator's name. */
  asked_by: z.optional(z.string()),
  /** When a person retried the event. Its message may be sent again later, with another `at`. */
  asked_at: z.optional(z.string()),
  /** Why the CRM's message concerns no lead that can be called. */
  ignored: z.optional(z.string()),
  /** In a retry, the call that the platform refused. Its claims are freed, because no phone rang. */
  refused_call_id: z.optional(z.string()),
  /** The call of another lead with the same phone (E.164). If it frees the phone, the event is decided again. */
  behind: z.optional(z.object({ call_id: z.string(), phone_number: z.string() })),
  /** Set by the Sunday sweep (docs/crm-b.md, "The Sunday sweep"). */
  sunday_rnr_retry: z.optional(z.literal(true)),
  /** In a release, the time for which the call was scheduled. */
  scheduled_for: z.optional(z.string()),
  /** The number of failed requests for the lead so far. */
  tries: z.optional(z.number()),
  /** The names of the payload's members, to diagnose payloads that could not be read. */
  payload_keys: z.array(z.string()),
});

export type LeadEvent = z.infer<typeof leadEvent>;

/** Returns the id of the event that owns the call: the original event for a retry or a release. */
export const originalEventId = ({ original_event_id, event_id }: Pick<LeadEvent, 'event_id' | 'original_event_id'>) =>
  original_event_id ?? event_id;

/**
 * Returns the time of the change that an event is about, or of the request of a person who wants the lead to be called.
 * @param lastChangeAt of the lead, by its CRM: the CRM may send a notification some time after the change. A lead of
 * the Sunday sweep is called without a change, and one whose call ended (`read_at`) is called because of that end
 * @returns ISO 8601
 */
export function reportedAt(event: LeadEvent, lastChangeAt: string | undefined): string {
  const { at, original_at = at, changed_at = original_at, read_at, sunday_rnr_retry } = event;
  if (isAskedRetry(event)) return event.asked_at ?? at;
  const isAboutChange = !sunday_rnr_retry && read_at === undefined;
  const isEarlier = isAboutChange && lastChangeAt !== undefined && lastChangeAt < changed_at;
  return isEarlier ? lastChangeAt : changed_at;
}

/** Returns whether a person has requested this retry. */
export const isAskedRetry = ({ source, asked_by }: Pick<LeadEvent, 'source' | 'asked_by'>): boolean =>
  source === 'retry' && asked_by !== undefined;

/** Returns the time of an event's own lead (docs/leads.md, "Stopped leads"). ISO 8601 */
export const leadTimeOf = (
  crm: Connection['type'],
  { read_at, original_at, at, event, lead }: Pick<LeadEvent, 'read_at' | 'original_at' | 'at' | 'event' | 'lead'>,
): string => read_at ?? receivedLeadTime(crm, event, original_at ?? at, lead);

/**
 * Returns the id of the CRM's own event, to which retries, releases and ends append. That event owns the claim of the
 * Sunday sweep, which no end of a call frees.
 */
export const firstEventId = (event: Pick<LeadEvent, 'event_id' | 'original_event_id'>): string =>
  originalEventId(event).split('.', 1).join('');
