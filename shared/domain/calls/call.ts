import * as z from 'zod/mini';
import { leadEventKinds } from '../connections/activity.ts';
import { type Shown, shownSchemaOf } from '../newer-values.ts';
import { fileKinds } from '../organizations/retention.ts';
import { callWindowSchema } from '../time/call-window.ts';
import type { ticketItems } from './call-facts.ts';
import { recordingAttributes } from './parts/recorded-call.ts';
import { viewedAttributes } from './parts/viewed-call.ts';
import { placedBySchema } from './placed-by.ts';

const instant = z.string(); // ISO 8601 in UTC with milliseconds, so that instants sort as text

/**
 * The work that a call still needs; partition key of the sparse index of unfinished calls. `scheduled` waits for the
 * call window, `waiting` for a slot, `reserved` for its dial, `claimed` for the platform, `ended` for recording,
 * analysis, the last notification, the log in CRM-B or the ticket. A call without work left has no value and is not in
 * the index.
 */
export const unfinishedWork = ['scheduled', 'waiting', 'reserved', 'claimed', 'ended'] as const;
export type UnfinishedWork = (typeof unfinishedWork)[number];

/** The state of a write to a remote system that has no idempotency key. */
const remoteWriteSchema = z.object({
  /** `asked`: a request was sent, and its outcome is unknown. */
  state: z.enum(['asked', 'written', 'none', 'failed', 'unconfirmed']),
  /** When the request was sent or, without a request, when the write was settled. */
  at: instant,
  id: z.optional(z.string()),
  /** The first complete lookup that did not find the record. */
  absent_since: z.optional(instant),
  error: z.optional(z.string()),
});
export type RemoteWrite = z.infer<typeof remoteWriteSchema>;

export type TicketItem = (typeof ticketItems)[number];

/** A ticket as it was requested. Lookups use these values even if settings or analysis have changed since. */
const ticketFieldsSchema = z.object({
  departmentId: z.string(),
  subject: z.string(),
  description: z.string(),
  phone: z.string(),
  priority: z.optional(z.string()),
  classification: z.optional(z.string()),
  assigneeId: z.optional(z.string()),
});

/** The refusals of a lead that also stop its earlier calls: the lead must not be called, whatever its event. */
export const leadStops = ['do_not_call', 'owner_mismatch', 'destination_not_allowed'] as const;

const leadOfCallSchema = z.object({
  crm: z.enum(['crm-a', 'crm-b']),
  connection_id: z.string(),
  lead_id: z.string(),
  /** The original event, which owns the call's day claims. */
  event_id: z.string(),
  event: z.enum(leadEventKinds),
  test: z.boolean(),
  owner_id: z.optional(z.string()),
  /** The lead's values for the assistant, under the CRM's field names. */
  fields: z.record(z.string(), z.string()),
  /** When the lead was last read from CRM-B, or sent by CRM-A. Absent in calls from before this was stored. */
  read_at: z.optional(instant),
  /**
   * The read time of a newer event's lead, which may be called, too, but was refused because of this call
   * (docs/leads.md, "Stopped leads").
   */
  fits_at: z.optional(instant),
  /** The first scheduled time, if the event's outcome was `call scheduled`. */
  first_scheduled_for: z.optional(instant),
  /** The Activity entry that shows the state of the call; absent until its release or postponement. */
  entry_id: z.optional(z.string()),
  /** The connection's call window when the event was decided; absent for always open. */
  window: z.optional(callWindowSchema),
});

/** A call as it is stored. Credit in units (1/1000 credit), durations in seconds. */
export const callSchema = z.object({
  ...viewedAttributes,
  ...recordingAttributes,
  request_id: z.string(),
  created_at: instant,
  /** When the call was last advanced. From this time, recover-calls measures how long the call has made no progress. */
  progress_at: instant,
  unfinished: z.optional(z.enum(unfinishedWork)),
  /** The member (`user_id`) who placed it as a test call in the dashboard. */
  tested_by: z.optional(z.string()),
  /**
   * Absent in calls from before this was stored. No decision depends on it, so a newer version may have another kind.
   */
  placed_by: z.optional(shownSchemaOf(placedBySchema)),
  /** Absent in a call that a client or a member placed. */
  lead: z.optional(leadOfCallSchema),
  /** The IST day of the claims on lead and phone that the call holds. */
  claims_day: z.optional(z.string()),

  // The terms at the placing. Later edits of organization and assistant do not change them.
  rate: z.number(),
  max_duration_seconds: z.number(),
  /** The files whose tags still have an earlier `keep`. Present while a new one is applied to the ended call. */
  keep_untagged: z.optional(z.array(z.enum(fileKinds))),
  held: z.number(),
  /** Present until the end of a call whose end adds the ledger entry of its hold (docs/call-lifecycle.md, "Money"). */
  hold_unentered: z.optional(z.boolean()),
  /**
   * The IST day whose spend includes its hold, from its dial claim on, and whether the stage's spend includes it, too.
   */
  spend: z.optional(z.object({ day: z.string(), of_stage: z.boolean() })),
  /** The IST day on which it last met a daily spend limit. */
  spend_told_on: z.optional(z.string()),
  /** Number of holds so far. Absent for a call by REST, which has one. */
  holds: z.optional(z.number()),

  // Scheduling
  scheduled_for: z.optional(instant),
  postponements: z.optional(z.number()),

  // Dialing
  dial_by: instant,
  dial_after: instant,
  attempts: z.number(),
  /** The dial claim. Kept after the end, because the outcome of a dial request may arrive late. */
  dial_claimed_at: z.optional(instant),
  /** Scopes of the slots that the call holds, from their reservation to its end. */
  slots: z.optional(z.array(z.string())),
  /** When the call took its slots. Present while it holds them, unlike `reserved_at`. */
  slots_at: z.optional(instant),
  /** When its slots were reserved. Absent from the dial claim on. */
  reserved_at: z.optional(instant),
  /**
   * The platform's id of the calling number of its last dial, null for the account's own number. The organization may
   * have another one by now. Absent before the first dial, and in calls that were dialed before this was stored.
   */
  calling_number: z.optional(z.nullable(z.string())),
  platform_id: z.optional(z.string()),
  /** When the platform first reported that it has no free line and dials this attempt later. */
  queued_at_platform: z.optional(instant),
  former_platform_ids: z.optional(z.set(z.string())),
  /**
   * Other ids under which the platform may have data of the call, such as the second one of a double dial. Only an
   * erasure reads them: they decide nothing about the call.
   */
  second_platform_ids: z.optional(z.set(z.string())),
  /** The first complete lookup that did not find the attempt at the platform. */
  absent_since: z.optional(instant),
  /** Number of attempts that were proved absent and given back. */
  absences: z.optional(z.number()),
  /** When the platform reported the ringing. */
  rang_at: z.optional(instant),
  hung_up_at: z.optional(instant),
  /** When a person requested the end of the call at the platform. */
  stop_asked_at: z.optional(instant),
  /** When the end was requested from the platform because it must no longer dial the call that it has queued. */
  cancel_asked_at: z.optional(instant),
  /**
   * Why the lead of a dialed call must not be called, if a newer event said so before the phone rang. `read_at`: when
   * that event's lead was read.
   */
  lead_stop: z.optional(z.object({ outcome: z.enum(leadStops), reason: z.string(), read_at: instant })),
  /** When the connection of a dialed call was switched off. It may be on again before the call's next dial. */
  switched_off_at: z.optional(instant),

  // The end
  /** Units beyond the hold. They are not charged. */
  beyond_hold: z.optional(z.number()),
  /** The IST day in whose usage the end is counted. Absent for calls that ended before usage was counted. */
  usage_day: z.optional(z.string()),

  // After the end
  transcript_key: z.optional(z.string()),
  /** The bucket's key of the lines with their times. Absent if the platform reported none. */
  lines_key: z.optional(z.string()),
  /** When the next try at the recording is due. */
  recording_after: z.optional(instant),
  /** When the next try at the analysis is due. */
  analysis_after: z.optional(instant),
  /** The first analysis. A later one replaces the result, but not this instant. */
  analyzed_at: z.optional(instant),
  /** Whether the client's notification of the first analysis is settled. Absent without an analysis or a client. */
  analysis_callback: z.optional(z.enum(['pending', 'done'])),
  /**
   * When the call put its number on the do-not-call list. Happens only once, so that an operator's removal is final.
   */
  do_not_call_at: z.optional(instant),
  /** When recover-calls last sent the release of a scheduled call. */
  release_sent_at: z.optional(instant),
  finished_at: z.optional(instant),
  /** When recover-calls last sent the call to finish-call. */
  finish_sent_at: z.optional(instant),

  // In CRM-B
  /** Absent if the call is not for a lead of CRM-B. */
  crm_b_sync: z.optional(z.enum(['pending', 'done'])),
  /** The end of the current turn. */
  crm_b_sync_after: z.optional(instant),
  /** Why the last try failed. */
  crm_b_sync_error: z.optional(z.string()),
  /** When recover-calls last sent the message of a turn. */
  crm_b_sync_sent_at: z.optional(instant),
  call_log: z.optional(remoteWriteSchema),
  note: z.optional(remoteWriteSchema),

  // At the help desk
  /** Absent if the organization has no help desk, or no conversation took place. */
  ticket_work: z.optional(z.enum(['pending', 'done'])),
  /** The end of the current turn. */
  ticket_after: z.optional(instant),
  /** Why the last try failed. */
  ticket_error: z.optional(z.string()),
  /** When recover-calls last sent the message of a turn. */
  ticket_sent_at: z.optional(instant),
  /** The organization (`orgId`) at the help desk that has contact and ticket. */
  ticket_organization: z.optional(z.string()),
  ticket_contact: z.optional(remoteWriteSchema),
  /** Contacts in former organizations of the help desk, for erasures. Without an id if no answer named it. */
  former_contacts: z.optional(
    z.array(z.object({ organization: z.optional(z.string()), id: z.optional(z.string()), at: instant })),
  ),
  ticket: z.optional(remoteWriteSchema),
  /** Present until the outcome of the ticket is known. */
  ticket_fields: z.optional(ticketFieldsSchema),
  // Follow-ups. Their failure never affects the ticket.
  ticket_tags: z.optional(remoteWriteSchema),
  ticket_recording: z.optional(remoteWriteSchema),
  ticket_transcript: z.optional(remoteWriteSchema),
  ticket_refresh: z.optional(remoteWriteSchema),
  /** When the refresh is due. */
  ticket_refresh_at: z.optional(instant),
  /** Facts from remote systems; `request_metadata` belongs to the client. */
  metadata: z.optional(z.record(z.string(), z.string())),
});

export type Call = z.infer<typeof callSchema>;
export type LeadCall = Call & { lead: NonNullable<Call['lead']> };

/** Returns whether the organization's credit is held for the call. A lead's call holds none before its dial. */
export const holdsCredit = (call: Pick<Call, 'lead' | 'held'>): boolean => call.lead === undefined || call.held > 0;

export type LeadStop = NonNullable<Call['lead_stop']>;

type LeadTimes = Pick<Call, 'lead' | 'created_at'>;

/** Returns when the lead of a call was last read from CRM-B, or sent by CRM-A. ISO 8601 */
export const leadReadAt = ({ lead, created_at }: LeadTimes): string => lead?.read_at ?? created_at;

/** Returns when the lead was last read and found to fit, by the call's own event or a newer one. ISO 8601 */
export function leadFitsAt(call: LeadTimes): string {
  const readAt = leadReadAt(call);
  const { fits_at = readAt } = call.lead ?? {};
  return fits_at > readAt ? fits_at : readAt;
}

/** Returns why the call's lead must not be called; undefined without a stop, or if a newer event fits. */
export function leadStopOf({ lead, lead_stop: stop }: Pick<Call, 'lead' | 'lead_stop'>): LeadStop | undefined {
  const { fits_at = '' } = lead ?? {};
  return stop && fits_at > stop.read_at ? undefined : stop;
}

/** The reasons for which a dialed call must no longer ring. */
export type RingStops = Pick<Call, 'lead' | 'lead_stop' | 'switched_off_at' | 'stop_asked_at'>;

/** Returns whether a dialed call must not ring: it is ended if the platform has it queued. */
export const mustNotRing = (call: RingStops): boolean =>
  call.stop_asked_at !== undefined || call.switched_off_at !== undefined || leadStopOf(call) !== undefined;

/**
 * Returns whether the call waits for its dial, with or without a slot. No attempt of the call can be under way at the
 * platform.
 */
export const isWaiting = (call: Pick<Shown<Call>, 'status' | 'dial_claimed_at' | 'platform_id'>): boolean =>
  (call.status === 'queued' || call.status === 'dialing') && !call.dial_claimed_at && !call.platform_id;
