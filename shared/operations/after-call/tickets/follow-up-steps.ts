import { transcriptComment } from '../../../domain/after-call/tickets/help-desk-ticket.ts';
import type { HelpDeskSettings } from '../../../domain/after-call/tickets/ticket-content.ts';
import type { FollowUp, WrittenTicket } from '../../../domain/after-call/tickets/ticket-decision.ts';
import { ticketDeadlines } from '../../../domain/after-call/tickets/ticket-timing.ts';
import type { HelpDeskFollowUps } from '../../../integrations/help-desk/follow-ups.ts';
import type { CallFiles } from '../../../stores/calls/files/call-files.ts';
import { readTranscript } from '../remote-writes/read-transcript.ts';
import { type HelpDeskDeps, withHelpDesk } from './help-desk-of-ticket.ts';
import { type RefreshDeps, refreshStep } from './refresh-step.ts';
import type { GatheredTicket } from './ticket-facts.ts';
import { storeTicketMark, type TicketMarkDeps, type TicketStep } from './ticket-mark.ts';

export type FollowUpDeps = HelpDeskDeps &
  TicketMarkDeps & {
    files: Pick<CallFiles, 'getTranscript' | 'recording'>;
    followUps: HelpDeskFollowUps;
  };

type MakeStep = (deps: FollowUpDeps & RefreshDeps, facts: GatheredTicket, ticket: WrittenTicket) => TicketStep;

/** Tags the ticket. Needs no lookup, because adding the same tags again is a no-op. */
const tagsStep = (deps: FollowUpDeps, facts: GatheredTicket, ticket: WrittenTicket): TicketStep => ({
  ...commonOf(deps, facts, ticket, 'ticket_tags'),
  prepare: async () => {
    const { tags = [] } = settingsOf(facts);
    if (tags.length === 0) return { kind: 'not_wanted' };
    return withHelpDesk(deps, facts, async (access) => ({
      kind: 'ready',
      send: () => deps.followUps.associateTags(access, ticket.id, tags),
    }));
  },
});

/** Attaches the recording. Its file name is the call's id, by which it is looked up. */
function recordingStep(deps: FollowUpDeps, facts: GatheredTicket, ticket: WrittenTicket): TicketStep {
  const { call_id, recording: { state, key, error } = {} } = facts.call;
  const filename = `${call_id}.${key?.endsWith('.mp3') ? 'mp3' : 'wav'}`;
  return {
    ...commonOf(deps, facts, ticket, 'ticket_recording'),
    prepare: async () => {
      if (!settingsOf(facts).attach_call_recording) return { kind: 'not_wanted' };
      if (state !== 'stored' || key === undefined)
        return { kind: 'impossible', reason: error ?? 'the call has no recording' };
      const file = await deps.files.recording(key).catch((failure: Error) => failure);
      if (file instanceof Error)
        return { kind: 'unavailable', isOurs: true, reason: `the recording cannot be read: ${file.name}` };
      return withHelpDesk(deps, facts, async (access) => ({
        kind: 'ready',
        send: () => deps.followUps.attach(access, ticket.id, { filename, ...file }),
      }));
    },
    lookUp: () => withHelpDesk(deps, facts, (access) => deps.followUps.findAttachment(access, ticket.id, filename)),
  };
}

/** Comments with the transcript. Its first line names the call, by which it is looked up. */
function transcriptStep(deps: FollowUpDeps, facts: GatheredTicket, ticket: WrittenTicket): TicketStep {
  const heading = `Transcript of ${facts.call.call_id}:`;
  return {
    ...commonOf(deps, facts, ticket, 'ticket_transcript'),
    prepare: async () => {
      if (!settingsOf(facts).attach_full_transcript) return { kind: 'not_wanted' };
      const read = await readTranscript(deps.files, facts.call);
      if (read.kind === 'unavailable') return read;
      const transcript = read.transcript?.trim();
      if (!transcript) return { kind: 'impossible', reason: 'the call has no transcript' };
      const comment = transcriptComment(`${heading}\n${transcript}`);
      return withHelpDesk(deps, facts, async (access) => ({
        kind: 'ready',
        send: () => deps.followUps.comment(access, ticket.id, comment),
      }));
    },
    lookUp: () => withHelpDesk(deps, facts, (access) => deps.followUps.findComment(access, ticket.id, heading)),
  };
}

const settingsOf = ({ settings }: GatheredTicket): Partial<HelpDeskSettings> => ('error' in settings ? {} : settings);

const commonOf = (
  deps: FollowUpDeps,
  facts: GatheredTicket,
  ticket: WrittenTicket,
  name: FollowUp,
): Omit<TicketStep, 'prepare' | 'lookUp'> => ({
  name,
  known: facts.call[name],
  since: ticket.at,
  deadlineSeconds: ticketDeadlines[name],
  store: (...change) => storeTicketMark(deps, facts, name, ...change),
});

/** The step of each follow-up of a ticket. */
export const followUpSteps: Record<FollowUp, MakeStep> = {
  ticket_tags: tagsStep,
  ticket_recording: recordingStep,
  ticket_transcript: transcriptStep,
  ticket_refresh: refreshStep,
};
