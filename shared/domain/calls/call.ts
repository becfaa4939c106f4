import * as z from 'zod/mini';
import { leadHappenings } from '../connections/activity.ts';
import { callWindowSchema } from '../time/call-window.ts';
import { analysisSchema } from './analysis.ts';
import { callStatuses } from './call-status.ts';

const instant = z.string(); // ISO 8601 UTC with milliseconds: sorts as text

/**
 * Which work a call still waits for; the key of the sparse index of unfinished calls. `scheduled`: for its window;
 * `waiting`: for its dial; `claimed`: for the platform; `ended`: for its recording, its analysis, its last notification, its
 * log in CRM-B or its ticket. Absent: nothing is left to do.
 */
export const unfinishedWork = ['scheduled', 'waiting', 'claimed', 'ended'] as const;
export type UnfinishedWork = (typeof unfinishedWork)[number];

const callbackStatuses = ['pending', 'delivered', 'failed'] as const;
export type CallbackStatus = (typeof callbackStatuses)[number];

/** Something that is written into a CRM once, although nobody there knows what was written already. */
const remoteWriteSchema = z.object({
  /** `asked`: a request is or was under way, and what came of it is not known. */
  state: z.enum(['asked', 'written', 'none', 'failed', 'unconfirmed']),
  /** When it was asked for. */
  at: instant,
  id: z.optional(z.string()),
  /** First complete look that did not find it. */
  absent_since: z.optional(instant),
  error: z.optional(z.string()),
});
export type RemoteWrite = z.infer<typeof remoteWriteSchema>;

/** What the help desk is told of a call, in the order in which it is. */
const ticketItems = [
  'ticket_contact',
  'ticket',
  'ticket_tags',
  'ticket_recording',
  'ticket_transcript',
  'ticket_refresh',
] as const;
export type TicketItem = (typeof ticketItems)[number];

/** A ticket as it is asked for and looked for: what the settings or the analysis become meanwhile does not change it. */
const ticketFieldsSchema = z.object({
  departmentId: z.string(),
  subject: z.string(),
  description: z.string(),
  phone: z.string(),
  priority: z.optional(z.string()),
  classification: z.optional(z.string()),
  assigneeId: z.optional(z.string()),
});

const leadOfCallSchema = z.object({
  crm: z.enum(['crm-a', 'crm-b']),
  connection_id: z.string(),
  lead_id: z.string(),
  /** Of the original event: what the claims carry. */
  event_id: z.string(),
  event: z.enum(leadHappenings),
  test: z.boolean(),
  owner_id: z.optional(z.string()),
  /** What the assistant knows of the lead, under the CRM's names. */
  fields: z.record(z.string(), z.string()),
  /** Where its event's outcome was `call scheduled`: the time it was scheduled for then. */
  first_scheduled_for: z.optional(instant),
  /** When its phone may be rung, as the connection had it when it was decided; absent = always. */
  window: z.optional(callWindowSchema),
});

/** A call as it is kept. Credit in units (1/1000 credit), durations in seconds, instants in ISO 8601 UTC. */
export const callSchema = z.object({
  call_id: z.string(),
  org_id: z.string(),
  request_id: z.string(),
  status: z.enum(callStatuses),
  phone_number: z.string(),
  assistant_id: z.string(),
  assistant_name: z.string(),
  idempotency_key: z.optional(z.string()),
  callback_url: z.optional(z.string()),
  callback_status: z.optional(z.enum(callbackStatuses)),
  request_metadata: z.record(z.string(), z.unknown()),
  created_at: instant,
  /** The last write that brought the call forward: what recover-calls measures. */
  progress_at: instant,
  unfinished: z.optional(z.enum(unfinishedWork)),
  /** The lead that it is for; absent for calls placed by REST. */
  lead: z.optional(leadOfCallSchema),
  /** The IST day whose claims on lead and phone the call holds (lead-claims.ts). */
  claims_day: z.optional(z.string()),

  // The terms it was placed on. Later edits of org and assistant do not change them.
  rate: z.number(),
  max_duration_seconds: z.number(),
  held: z.number(),
  /** Holds so far, where a scheduled call may have several or none; absent = the one of its beginning. */
  holds: z.optional(z.number()),

  // Scheduled for its window
  scheduled_for: z.optional(instant),
  /** How often it was put off to a later window. */
  postponements: z.optional(z.number()),

  // Dialing
  dial_by: instant,
  dial_after: instant,
  attempts: z.number(),
  /** The claim: who has it may dial once. Kept after the end, for what the dialer learns late. */
  dial_claimed_at: z.optional(instant),
  /** The slot counters that the claim took. */
  slots: z.optional(z.array(z.string())),
  platform_id: z.optional(z.string()),
  former_platform_ids: z.optional(z.set(z.string())),
  /** First complete look that did not find the attempt at the platform. */
  absent_since: z.optional(instant),
  /** Attempts that were proved absent and given back. */
  absences: z.optional(z.number()),
  hung_up_at: z.optional(instant),

  // The end
  ended_reason: z.optional(z.string()),
  started_at: z.optional(instant),
  ended_at: z.optional(instant),
  duration: z.optional(z.number()),
  cost: z.optional(z.number()),
  /** Units beyond the hold, which nobody was charged. */
  beyond_hold: z.optional(z.number()),

  // After the end
  transcript_key: z.optional(z.string()),
  recording: z.optional(
    z.object({
      state: z.enum(['pending', 'stored', 'none', 'failed']),
      key: z.optional(z.string()),
      error: z.optional(z.string()),
    }),
  ),
  /** When the recording is looked for again. */
  recording_after: z.optional(instant),
  analysis: z.optional(analysisSchema),
  /** When the analysis is tried again; nobody tries before. */
  analysis_after: z.optional(instant),
  /** The first one: a later one replaces its result and not this. */
  analyzed_at: z.optional(instant),
  /** When its number went on the do-not-call list for what was said: only once, so that an operator's removal stands. */
  do_not_call_at: z.optional(instant),
  finished_at: z.optional(instant),

  // In CRM-B
  /** Absent: the call is none of CRM-B's. */
  crm_b_sync: z.optional(z.enum(['pending', 'done'])),
  /** Whose turn it is: nobody else's before then. */
  crm_b_sync_after: z.optional(instant),
  /** Why it is not done yet. */
  crm_b_sync_error: z.optional(z.string()),
  call_log: z.optional(remoteWriteSchema),
  note: z.optional(remoteWriteSchema),

  // At the help desk
  /** Absent: none of its org's, or nobody was talked to. */
  ticket_work: z.optional(z.enum(['pending', 'done'])),
  /** Whose turn it is: nobody else's before then. */
  ticket_after: z.optional(instant),
  /** Why it is not done yet. */
  ticket_error: z.optional(z.string()),
  /** The help desk's organization (`orgId`) that contact and ticket were asked of. */
  ticket_organization: z.optional(z.string()),
  ticket_contact: z.optional(remoteWriteSchema),
  ticket: z.optional(remoteWriteSchema),
  /** Until the ticket is settled. */
  ticket_fields: z.optional(ticketFieldsSchema),
  /** What follows upon the ticket; a failure there never touches it. */
  ticket_tags: z.optional(remoteWriteSchema),
  ticket_recording: z.optional(remoteWriteSchema),
  ticket_transcript: z.optional(remoteWriteSchema),
  ticket_refresh: z.optional(remoteWriteSchema),
  /** When its status is read once more. */
  ticket_refresh_at: z.optional(instant),
  /** What the service learned, apart from the client's own `request_metadata`. */
  metadata: z.optional(z.record(z.string(), z.string())),
});

export type Call = z.infer<typeof callSchema>;

/** Whether the phone of the call still has to be rung. */
export const isWaiting = (call: Pick<Call, 'status' | 'dial_claimed_at' | 'platform_id'>): boolean =>
  (call.status === 'queued' || call.status === 'dialing') && !call.dial_claimed_at && !call.platform_id;
