import * as z from 'zod/mini';
import type { Call } from '../call.ts';
import { isTerminal, mayBecome, type TerminalStatus } from '../call-status.ts';
import { talkLineSchema } from '../conversation/talk.ts';
import type { UngatedRefusal } from '../dialing/dial-timing.ts';
import { type Ending, isEndedWithoutReport } from '../ending.ts';

/** How a call ended at the platform. `not_dialed`: provably, no phone rang. */
const endReport = z.object({
  kind: z.literal('report'),
  platform_id: z.string(),
  outcome: z.enum(['completed', 'transferred', 'no_answer', 'busy', 'failed', 'canceled', 'not_dialed']),
  /** The platform's own code. */
  reason: z.string(),
  /** The cause is the account's credit, standing or limits, or our configuration. An operator has to act. */
  is_account_fault: z.optional(z.boolean()),
  /** With `not_dialed`: other calls are refused as well. Absent if it may concern only one number or destination. */
  refuses_account: z.optional(z.boolean()),
  /** With `not_dialed`: other calls from the same calling number are refused as well. */
  refuses_number: z.optional(z.boolean()),
  /** When a person or a voicemail answered; absent if it never connected. */
  started_at: z.optional(z.string()),
  ended_at: z.string(),
  /** The platform did not report the end: `ended_at` is the time of the message. */
  is_end_estimated: z.optional(z.boolean()),
  /** When the platform sent the report or updated its record: the call ended before. Absent if it equals `ended_at`. */
  reported_at: z.optional(z.string()),
  transcript: z.optional(z.string()),
  /** The lines with their speakers and times. */
  lines: z.optional(z.array(talkLineSchema)),
  /** The bucket's keys of a transcript and lines that are too long for a message. */
  transcript_key: z.optional(z.string()),
  lines_key: z.optional(z.string()),
});

/** A platform's message about one call, reduced to the members that the service uses. */
export const platformMessageSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('progress'),
    platform_id: z.string(),
    status: z.enum(['dialing', 'ringing', 'in_progress']),
    /** When it reached this status; absent if the platform does not say. */
    at: z.optional(z.string()),
  }),
  z.object({ kind: z.literal('hung_up'), platform_id: z.string(), at: z.string(), reason: z.string() }),
  endReport,
]);

export type PlatformMessage = z.infer<typeof platformMessageSchema>;
export type EndReport = z.infer<typeof endReport>;

/** The effect of a message on a call. */
export type PlatformStep =
  | { kind: 'nothing'; why: 'former_attempt' | 'ended' | 'known' | 'no_attempt' }
  /** `isLive`: a live call that should not exist must be hung up. */
  | { kind: 'warn_of_double_dial'; isLive: boolean }
  /** The service has ended the call, so the platform must end it, too. */
  | { kind: 'hang_up' }
  | { kind: 'advance'; to: 'dialing' | 'ringing' | 'in_progress'; at?: string | undefined }
  | { kind: 'note_hang_up'; at: string; reason: string }
  | {
      kind: 'give_back';
      reason: string;
      isAccountFault: boolean;
      closesGate: boolean;
      closesNumber?: true;
      ungated?: UngatedRefusal;
    }
  | { kind: 'end'; ending: Ending };

/**
 * Decides what a platform's message does to a call. The same messages lead to the same state in any order and with any
 * repetition: a status only advances, an end is final, and messages about a former attempt do not change the call.
 */
export function stepFor(call: Call, message: PlatformMessage): PlatformStep {
  const isLive = message.kind === 'progress';
  if (call.former_platform_ids?.has(message.platform_id)) {
    // The attempt was given back because its phone provably did not ring.
    const rings = isLive && message.status !== 'dialing';
    return rings ? { kind: 'warn_of_double_dial', isLive } : { kind: 'nothing', why: 'former_attempt' };
  }
  if (call.platform_id && call.platform_id !== message.platform_id) return { kind: 'warn_of_double_dial', isLive };
  if (isTerminal(call.status))
    // Without an id, the call was given back as absent before it ended.
    return isLive && (isEndedWithoutReport(call) || !call.platform_id)
      ? { kind: 'hang_up' }
      : { kind: 'nothing', why: 'ended' };
  switch (message.kind) {
    case 'progress': {
      const learnsId = !call.platform_id;
      if (!learnsId && !mayBecome(call.status, message.status)) return { kind: 'nothing', why: 'known' };
      return { kind: 'advance', to: message.status, at: message.at };
    }
    case 'hung_up':
      if (call.hung_up_at) return { kind: 'nothing', why: 'known' };
      return { kind: 'note_hang_up', at: message.at, reason: message.reason };
    case 'report':
      return stepForReport(call, message);
  }
}

function stepForReport(call: Call, report: EndReport): PlatformStep {
  const neverRang = call.status === 'queued' || call.status === 'dialing';
  // A person stopped it, so do not dial again.
  if (neverRang && call.stop_asked_at !== undefined && isUndialed(report))
    return { kind: 'end', ending: endingFrom(report, 'canceled') };
  // The platform's record had the call as queued, and no message reported ringing.
  const isCanceledInQueue =
    report.outcome === 'canceled' && call.cancel_asked_at !== undefined && neverRang && !report.started_at;
  if (isCanceledInQueue) return { kind: 'give_back', reason: report.reason, isAccountFault: false, closesGate: false };
  if (report.outcome !== 'not_dialed') return { kind: 'end', ending: endingFrom(report, report.outcome) };
  if (neverRang && call.dial_claimed_at) {
    const { reason, is_account_fault: isAccountFault = false, refuses_account: closesGate = false } = report;
    const step = { kind: 'give_back', reason, isAccountFault, closesGate } as const;
    if (report.refuses_number) return { ...step, closesNumber: true };
    return closesGate ? step : { ...step, ungated: isAccountFault ? 'destination' : 'platform' };
  }
  // Without a claim and a platform id, the reported attempt was given back; the call may have been postponed since.
  if ((neverRang || call.status === 'scheduled') && !call.platform_id) return { kind: 'nothing', why: 'no_attempt' };
  // Past `dialing`, a phone rang regardless of the reason. An attempt that was given back as absent and then adopted by
  // a late message cannot be given back twice.
  return { kind: 'end', ending: endingFrom(report, 'failed') };
}

const isUndialed = ({ outcome, started_at }: EndReport): boolean =>
  outcome === 'not_dialed' || (outcome === 'canceled' && !started_at);

function endingFrom(report: EndReport, status: TerminalStatus): Ending {
  const { started_at, ended_at, reason } = report;
  const connectedMs = started_at === undefined ? 0 : Date.parse(ended_at) - Date.parse(started_at);
  return {
    status,
    ended_reason: reason,
    ...(started_at !== undefined && { started_at }),
    ended_at,
    duration: Math.ceil(Math.max(0, connectedMs) / 1000),
  };
}
