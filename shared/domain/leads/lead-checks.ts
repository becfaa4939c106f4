import type { Call } from '../calls/call.ts';
import type { Outcome } from '../connections/activity.ts';
import type { Shown } from '../newer-values.ts';

/** The checks before a lead is called, in the order of the decision (docs/leads.md, "The decision"). */
export const leadChecks = [
  'kind',
  'auto_call',
  'lead_id',
  'crm',
  'owner',
  'phone',
  'own_number',
  'do_not_call',
  'destination',
  'assistant',
  'sweep',
  'lead_uncalled',
  'phone_uncalled',
  'window',
  'credit',
  'dial',
] as const;

type LeadCheck = (typeof leadChecks)[number];

/** The check at which the lead was stopped, by outcome; undefined if its call was queued. */
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
  destination_not_allowed: 'destination',
  assistant_missing: 'assistant',
  retried_recently: 'sweep',
  already_called: 'lead_uncalled',
  already_called_race: 'lead_uncalled',
  phone_already_called: 'phone_uncalled',
  'call scheduled': 'window',
  insufficient_credits: 'credit',
  spend_limit_reached: 'dial',
  expired: 'dial',
  platform_unreachable: 'dial',
  refused_by_platform: 'dial',
  lost: 'dial',
  'call queued': undefined,
};

const isKnown = (outcome: string): outcome is Outcome => Object.hasOwn(failed, outcome);

/** `open`: not reached, because an earlier check failed. `waits`: may pass later without action. */
export const checkStates = ['passed', 'failed', 'waits', 'open'] as const;

type CheckState = (typeof checkStates)[number];

type CheckedFact = { check: LeadCheck; state: CheckState };

/** Checks that apply only to CRM-B's leads. */
const onlyOfCrmB: readonly LeadCheck[] = ['kind', 'crm', 'window'];

/**
 * Lists the checks that an event passed and failed, from its outcome and its call. Leaves out those that do not apply,
 * and all of them for an outcome that a newer version wrote.
 * @param call the event's call, if it exists
 */
export function checksOf(
  outcome: string,
  crm: 'crm-a' | 'crm-b',
  call?: Pick<Shown<Call>, 'status'> | undefined,
): CheckedFact[] {
  if (!isKnown(outcome)) return [];
  const at = failed[outcome];
  const end = at === undefined ? leadChecks.length : leadChecks.indexOf(at);
  const stateAt = (index: number): CheckState => {
    if (index > end) return 'open';
    if (index < end) return 'passed';
    return outcome === 'call scheduled' || outcome === 'spend_limit_reached' ? 'waits' : 'failed';
  };
  return leadChecks
    .map((check, index) => ({ check, state: check === 'dial' && at === undefined ? dialOf(call) : stateAt(index) }))
    .filter(
      ({ check, state }) =>
        (crm === 'crm-b' || !onlyOfCrmB.includes(check)) && (check !== 'sweep' || state === 'failed'),
    );
}

/** Returns the state of the check `dial` for a queued call. */
function dialOf(call: Pick<Shown<Call>, 'status'> | undefined): CheckState {
  if (!call || call.status === 'scheduled' || call.status === 'queued' || call.status === 'dialing') return 'waits';
  return call.status === 'canceled' || call.status === 'failed' ? 'failed' : 'passed';
}
