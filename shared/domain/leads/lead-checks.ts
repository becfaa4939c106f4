import type { Outcome } from '../connections/activity.ts';

/** What is checked before a lead is called, in the order of the decision (docs/leads.md, "The decision"). */
export const leadChecks = [
  'kind',
  'auto_call',
  'lead_id',
  'crm',
  'owner',
  'phone',
  'own_number',
  'do_not_call',
  'assistant',
  'sweep',
  'lead_uncalled',
  'phone_uncalled',
  'window',
  'credit',
  'dial',
] as const;

export type LeadCheck = (typeof leadChecks)[number];

/** The check that an outcome failed; undefined if the lead's call was queued. */
const failed: Readonly<Record<Outcome, LeadCheck | undefined>> = {
  ignored: 'kind',
  auto_call_disabled: 'auto_call',
  no_lead_id_in_payload: 'lead_id',
  lead_not_found: 'crm',
  crm_unavailable: 'crm',
  owner_mismatch: 'owner',
  no_dialable_phone: 'phone',
  own_platform_number: 'own_number',
  do_not_call: 'do_not_call',
  assistant_missing: 'assistant',
  retried_recently: 'sweep',
  already_called: 'lead_uncalled',
  already_called_race: 'lead_uncalled',
  phone_already_called: 'phone_uncalled',
  'call scheduled': 'window',
  insufficient_credits: 'credit',
  expired: 'dial',
  platform_unreachable: 'dial',
  'call queued': undefined,
};

/** `open`: not reached, because an earlier check failed. `waits`: passed later, by itself. */
export type CheckState = 'passed' | 'failed' | 'waits' | 'open';

export type CheckedFact = { check: LeadCheck; state: CheckState };

/** The checks that an event passed and failed, as its outcome tells. */
export function checksOf(outcome: Outcome): CheckedFact[] {
  const at = failed[outcome];
  const index = at === undefined ? leadChecks.length : leadChecks.indexOf(at);
  return leadChecks.map((check, position) => ({ check, state: stateOf(position - index, outcome) }));
}

function stateOf(behind: number, outcome: Outcome): CheckState {
  if (behind < 0) return 'passed';
  if (behind > 0) return 'open';
  return outcome === 'call scheduled' ? 'waits' : 'failed';
}
