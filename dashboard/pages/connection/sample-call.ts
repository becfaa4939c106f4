import {
  type HelpDeskSettings,
  ticketOf,
  whyNoTicket,
} from '../../../shared/domain/after-call/tickets/ticket-content.ts';
import type { Call } from '../../../shared/domain/calls/call.ts';

const AT = '2026-11-20T08:30:00.000Z';

/** An example call for previews. */
const sampleCall: Call = {
  call_id: 'call_0123456789abcdef0123456789abcdef',
  org_id: 'org0123456789abcdef',
  request_id: 'sample',
  status: 'completed',
  phone_number: '+919820000001',
  assistant_id: 'asst_sample',
  assistant_name: 'Asha',
  request_metadata: { name: 'Meera Rao', campaign: 'autumn' },
  created_at: AT,
  progress_at: AT,
  rate: 1_000,
  max_duration_seconds: 600,
  held: 0,
  dial_by: AT,
  dial_after: AT,
  attempts: 1,
  started_at: AT,
  ended_at: '2026-11-20T08:32:14.000Z',
  duration: 134,
  cost: 3_000,
  analysis: {
    state: 'done',
    result: {
      summary: 'Meera complained about a leaking pipe in the flat.',
      success_eval: 'success',
      sentiment: 'negative',
      structured_data: { city: 'Pune', flat: 'B-204' },
      lead_intent: 'complaint',
      issue_summary: 'The pipe under the kitchen sink leaks since Monday.',
      do_not_call: false,
    },
  },
};

const SAMPLE_TRANSCRIPT = 'Asha: Namaste Meera, this is Asha.\nMeera: The pipe in my kitchen leaks.';

/** Placeholders that every call has; others come from its metadata and the assistant's analysis. */
export const usualPlaceholders = [
  'lead_intent',
  'issue_summary',
  'caller_name',
  'caller_mobile',
  'summary',
  'sentiment',
  'assistant_name',
  'started_at',
  'duration',
  'transcript',
] as const;

/** @returns the example call's ticket, made by the code that makes tickets; its priority is null if none is set */
export function sampleTicket(settings: Omit<HelpDeskSettings, 'departmentId'>) {
  const { subject, description, priority } = ticketOf(
    sampleCall,
    { ...settings, departmentId: '-' },
    SAMPLE_TRANSCRIPT,
  );
  return { subject, description, priority: priority ?? null, isCreated: !whyNoTicket(sampleCall, settings) };
}
