import type { Outcome } from '../connections/activity.ts';

/** The meaning of an outcome for people (docs/dashboard.md, "Leads"). `needs_you`: a person can remove the obstacle. */
export const outcomeGroups = ['called', 'waiting', 'skipped', 'needs_you'] as const;

export type OutcomeGroup = (typeof outcomeGroups)[number];

/** The group of every outcome. */
export const groupOf: Readonly<Record<Outcome, OutcomeGroup>> = {
  'call queued': 'called',
  'call scheduled': 'waiting',
  spend_limit_reached: 'waiting',
  ignored: 'skipped',
  auto_call_disabled: 'skipped',
  owner_mismatch: 'skipped',
  own_platform_number: 'skipped',
  do_not_call: 'skipped',
  retried_recently: 'skipped',
  already_called: 'skipped',
  already_called_race: 'skipped',
  phone_already_called: 'skipped',
  no_lead_id_in_payload: 'needs_you',
  lead_not_found: 'needs_you',
  no_dialable_phone: 'needs_you',
  destination_not_allowed: 'needs_you',
  assistant_missing: 'needs_you',
  insufficient_credits: 'needs_you',
  crm_unavailable: 'needs_you',
  expired: 'needs_you',
  platform_unreachable: 'needs_you',
  refused_by_platform: 'needs_you',
  lost: 'needs_you',
};

/** Returns the group of an outcome; undefined for an outcome that a newer version wrote. */
export const groupOfOutcome = (outcome: string): OutcomeGroup | undefined =>
  new Map<string, OutcomeGroup>(Object.entries(groupOf)).get(outcome);
