import type { AnalysisResult } from '../../../shared/domain/calls/analysis.ts';
import type { CallSource } from '../../../shared/domain/calls/call-source.ts';
import type { CallStatus } from '../../../shared/domain/calls/call-status.ts';
import type { CallbackStatus } from '../../../shared/domain/calls/parts/viewed-call.ts';
import type { CallRow } from '../../../shared/messages/dashboard/calls.ts';
import type { Tone } from '../tones.ts';

type Words = { name: string; tone: Tone };

/** Every status of a call. */
export const statusWords: Readonly<Record<CallStatus, Words>> = {
  scheduled: { name: 'Scheduled', tone: 'plain' },
  queued: { name: 'Waiting', tone: 'plain' },
  dialing: { name: 'Dialing', tone: 'info' },
  ringing: { name: 'Ringing', tone: 'info' },
  in_progress: { name: 'In progress', tone: 'info' },
  completed: { name: 'Completed', tone: 'good' },
  transferred: { name: 'Transferred', tone: 'good' },
  no_answer: { name: 'No answer', tone: 'plain' },
  busy: { name: 'Busy', tone: 'plain' },
  failed: { name: 'Failed', tone: 'bad' },
  canceled: { name: 'Canceled', tone: 'warn' },
};

export const sourceNames: Readonly<Record<CallSource, string>> = {
  rest: 'REST API',
  'crm-a': 'CRM-A',
  'crm-b': 'CRM-B',
  dashboard: 'Test call',
};

export const successWords: Readonly<Record<AnalysisResult['success_eval'], Words>> = {
  success: { name: 'Success', tone: 'good' },
  partial: { name: 'Partial', tone: 'warn' },
  failure: { name: 'No success', tone: 'bad' },
};

export const callbackWords: Readonly<Record<CallbackStatus, Words>> = {
  pending: { name: 'Pending', tone: 'plain' },
  delivered: { name: 'Delivered', tone: 'good' },
  failed: { name: 'Failed', tone: 'bad' },
};

/** Why a call ended: our reasons, and the voice platform's common ones. */
const endedReasons: Readonly<Record<string, string>> = {
  expired: 'It could not be dialed in time.',
  assistant_missing: 'Its assistant no longer exists.',
  platform_unreachable: 'Two requests to dial it did not reach the voice platform.',
  lost: 'The voice platform did not report the end of the call. Nothing was charged.',
  ended_by_operator: 'An operator ended it. Nothing was charged.',
  canceled_by_operator: 'An operator canceled it.',
  canceled_by_member: 'A member of your organization canceled it.',
  do_not_call: 'The number is on the do-not-call list.',
  destination_not_allowed: 'Your organization may not call this number. Ask the operator which countries are allowed.',
  insufficient_credits: 'The credit did not cover the call.',
  spend_limit_reached: 'The daily spend limit was reached.',
  auto_call_disabled: 'Auto-call was switched off.',
  owner_mismatch: 'The lead had another owner at the time of the dial.',
  no_lead_id_in_payload: 'The CRM sent no lead id.',
  lead_not_found: 'The lead was deleted in the CRM, or converted.',
  crm_unavailable: 'The CRM did not return the lead.',
  no_dialable_phone: 'The lead has no number that can be called.',
  own_platform_number: 'The number is one of your organization’s own.',
  retried_recently: 'The Sunday retry had called the lead less than 20 hours before.',
  already_called: 'The lead had already been called that day.',
  already_called_race: 'The lead had already been called that day.',
  phone_already_called: 'The number had already been called that day.',
  ignored: 'The CRM’s message required no call.',
  'customer-ended-call': 'The person hung up.',
  'assistant-ended-call': 'The assistant said goodbye.',
  'assistant-forwarded-call': 'The call was transferred to a colleague.',
  'customer-did-not-answer': 'There was no answer.',
  'customer-busy': 'The line was busy.',
  'silence-timed-out': 'The line went silent.',
  'exceeded-max-duration': 'The call reached its longest duration.',
  voicemail: 'Voicemail answered.',
};

/** @returns why a call ended, even for a code that is newer than this page */
export function describeEndedReason(reason: string): string {
  if (Object.hasOwn(endedReasons, reason)) return endedReasons[reason] ?? reason;
  const [, status] = /^platform answered (\d+)/.exec(reason) ?? [];
  return status ? `The voice platform refused the call: it answered ${status}.` : `The voice platform says: ${reason}`;
}

/** Returns whether the phone can no longer ring or be connected. */
export const hasEnded = ({ is_live, status }: Pick<CallRow, 'is_live' | 'status'>): boolean =>
  !is_live && status !== 'scheduled';

/** Groups an Indian number's digits as people read them; leaves other numbers unchanged. */
export const formatPhone = (phone: string): string => phone.replace(/^\+91(\d{5})(\d{5})$/, '+91 $1 $2');
