import * as z from 'zod/mini';
import type { Call } from './call.ts';
import { isTerminal, mayBecome, type TerminalStatus } from './call-status.ts';

/** How a voice platform's call ended, in our words. `not_dialed`: it is proved that no phone rang. */
const endReport = z.object({
  kind: z.literal('report'),
  platform_id: z.string(),
  outcome: z.enum(['completed', 'transferred', 'no_answer', 'busy', 'failed', 'canceled', 'not_dialed']),
  /** The platform's own word for it. */
  reason: z.string(),
  /** The platform refuses our account (its credit, its standing): a human has to act. */
  is_account_fault: z.optional(z.boolean()),
  /** When somebody (or a voicemail) was on the line; absent = never connected. */
  started_at: z.optional(z.string()),
  ended_at: z.string(),
  /** The platform did not tell the end itself: `ended_at` is when it was noticed. */
  is_end_estimated: z.optional(z.boolean()),
  /** Absent where there is none; long ones are kept in the bucket and named here. */
  transcript: z.optional(z.string()),
  transcript_key: z.optional(z.string()),
});

/** What a voice platform says of one call, reduced to what we keep (whitelisted, platform-neutral). */
export const platformMessageSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('progress'),
    platform_id: z.string(),
    status: z.enum(['dialing', 'ringing', 'in_progress']),
  }),
  z.object({ kind: z.literal('hung_up'), platform_id: z.string(), at: z.string(), reason: z.string() }),
  endReport,
]);

export type PlatformMessage = z.infer<typeof platformMessageSchema>;
export type EndReport = z.infer<typeof endReport>;

/** How a call ends; what a terminal write needs to know. */
export type Ending = {
  status: TerminalStatus;
  ended_reason: string;
  started_at?: string;
  ended_at: string;
  /** Seconds that somebody was on the line, rounded up. */
  duration: number;
};

/** What a message means for the call as it stands. */
export type Step =
  | { do: 'nothing'; why: 'former_attempt' | 'ended' | 'known' | 'no_attempt' }
  | { do: 'warn_of_double_dial' }
  | { do: 'advance'; to: 'dialing' | 'ringing' | 'in_progress' }
  | { do: 'note_hang_up'; at: string; reason: string }
  | { do: 'give_back'; reason: string; isAccountFault: boolean }
  | { do: 'end'; ending: Ending };

/**
 * Decides what a platform's message does to a call. Any order and any duplication of the same messages ends in the
 * same state: a status only moves up, the end absorbs, and what belongs to a former attempt is dropped.
 */
export function stepFor(call: Call, message: PlatformMessage): Step {
  if (call.former_platform_ids?.has(message.platform_id)) return { do: 'nothing', why: 'former_attempt' };
  if (call.platform_id && call.platform_id !== message.platform_id) return { do: 'warn_of_double_dial' };
  if (isTerminal(call.status)) return { do: 'nothing', why: 'ended' };
  switch (message.kind) {
    case 'progress': {
      const learnsId = !call.platform_id;
      if (!learnsId && !mayBecome(call.status, message.status)) return { do: 'nothing', why: 'known' };
      return { do: 'advance', to: message.status };
    }
    case 'hung_up':
      if (call.hung_up_at) return { do: 'nothing', why: 'known' };
      return { do: 'note_hang_up', at: message.at, reason: message.reason };
    case 'report':
      return stepForReport(call, message);
  }
}

function stepForReport(call: Call, report: EndReport): Step {
  if (report.outcome !== 'not_dialed') return { do: 'end', ending: endingFrom(report, report.outcome) };
  const neverRang = call.status === 'queued' || call.status === 'dialing';
  if (neverRang && call.dial_claimed_at)
    return { do: 'give_back', reason: report.reason, isAccountFault: report.is_account_fault ?? false };
  // No claim and no id of it: what it reports was given back before.
  if (neverRang && !call.platform_id) return { do: 'nothing', why: 'no_attempt' };
  // Above `dialing` something did ring, whatever the reason says now; and an attempt that was taken for absent, and whose
  // late messages brought the call its id, cannot be given back a second time.
  return { do: 'end', ending: endingFrom(report, 'failed') };
}

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
