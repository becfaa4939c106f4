import type { Outcome } from '../../../shared/domain/connections/activity.ts';
import { known } from '../newer.ts';
import type { Tone } from '../tones.ts';

/** The target of a fix. */
export type FixPlace = 'call' | 'other_call' | 'connection' | 'do_not_call' | 'credit' | 'organization' | 'none';

export type OutcomeWords = {
  /** Short enough for a badge. */
  name: string;
  tone: Tone;
  /** The lead's outcome, and why. */
  sentence: string;
  /** The fix, and its place. */
  fix: { text: string; at: FixPlace };
};

const CALLED_ALREADY = {
  name: 'Already called',
  tone: 'plain',
  sentence: 'Not called again: this lead had already been called.',
  fix: { text: 'See that call', at: 'other_call' },
} as const;

/** Every outcome of a lead event, with its fix. */
export const outcomeWords: Readonly<Record<Outcome, OutcomeWords>> = {
  'call queued': {
    name: 'Called',
    tone: 'good',
    sentence: 'It was called.',
    fix: { text: 'See the call', at: 'call' },
  },
  'call scheduled': {
    name: 'Scheduled',
    tone: 'info',
    sentence: 'It is called when the call window opens.',
    fix: { text: 'See the call, or stop it', at: 'call' },
  },
  spend_limit_reached: {
    name: 'Daily limit',
    tone: 'warn',
    sentence: 'It is called when the daily spend limit allows it, if that is soon enough.',
    fix: { text: 'Ask the operator to raise the limit', at: 'organization' },
  },
  owner_mismatch: {
    name: 'Other owner',
    tone: 'plain',
    sentence: 'Not called: calls go to the leads of another owner.',
    fix: { text: 'Choose whose leads are called', at: 'connection' },
  },
  auto_call_disabled: {
    name: 'Calls are off',
    tone: 'warn',
    sentence: 'Not called: calling leads was switched off, or the CRM was disconnected.',
    fix: { text: 'Switch calls on', at: 'connection' },
  },
  do_not_call: {
    name: 'Do not call',
    tone: 'plain',
    sentence: 'Not called: this number must not be called.',
    fix: { text: 'Check the do-not-call list and the CRM’s flag', at: 'do_not_call' },
  },
  own_platform_number: {
    name: 'Own number',
    tone: 'plain',
    sentence: 'Not called: this number is one of your organization’s own.',
    fix: { text: 'Correct it in the CRM, or remove it from your own numbers', at: 'organization' },
  },
  ignored: {
    name: 'No lead to call',
    tone: 'plain',
    sentence: 'Not called: the CRM’s message was not about a lead to call.',
    fix: { text: 'No action needed', at: 'none' },
  },
  already_called: CALLED_ALREADY,
  already_called_race: CALLED_ALREADY,
  phone_already_called: {
    name: 'Number already called',
    tone: 'plain',
    sentence: 'Not called again: this number had been called on that day, for another lead or event.',
    fix: { text: 'See that call', at: 'other_call' },
  },
  retried_recently: {
    name: 'Already retried',
    tone: 'plain',
    sentence: 'Not called again: the Sunday retry had called this lead less than 20 hours before.',
    fix: { text: 'See that call', at: 'other_call' },
  },
  no_lead_id_in_payload: {
    name: 'No lead id',
    tone: 'warn',
    sentence: 'Not called: the CRM sent no lead id.',
    fix: { text: 'Have the CRM send ProspectID, LeadId or Id', at: 'none' },
  },
  no_dialable_phone: {
    name: 'No number',
    tone: 'warn',
    sentence: 'Not called: the lead has no number that can be called.',
    fix: { text: 'Correct the number in the CRM', at: 'none' },
  },
  lead_not_found: {
    name: 'Not in the CRM',
    tone: 'warn',
    sentence: 'Not called: the lead was deleted in the CRM, or converted.',
    fix: { text: 'Look for the lead in the CRM', at: 'none' },
  },
  assistant_missing: {
    name: 'No assistant',
    tone: 'bad',
    sentence: 'Not called: the connection had no assistant.',
    fix: { text: 'Choose an assistant, then edit the lead in the CRM', at: 'connection' },
  },
  destination_not_allowed: {
    name: 'Country not allowed',
    tone: 'warn',
    sentence: 'Not called: your organization may not call this country, or numbers of this kind are never called.',
    fix: { text: 'Ask the operator to allow the country, then retry', at: 'organization' },
  },
  insufficient_credits: {
    name: 'No credit',
    tone: 'bad',
    sentence: 'Not called: the credit did not cover the call.',
    fix: { text: 'Top up, then retry', at: 'credit' },
  },
  crm_unavailable: {
    name: 'Not returned by CRM',
    tone: 'bad',
    sentence: 'Not called: the CRM did not return the lead.',
    fix: { text: 'Check the connection, then retry', at: 'connection' },
  },
  expired: {
    name: 'Not dialed in time',
    tone: 'bad',
    sentence: 'Not called: the call could not be dialed in time.',
    fix: { text: 'See the call, then retry', at: 'call' },
  },
  platform_unreachable: {
    name: 'Dial lost',
    tone: 'bad',
    sentence: 'Not called: two requests to dial did not reach the voice platform.',
    fix: { text: 'See the call, then retry', at: 'call' },
  },
  refused_by_platform: {
    name: 'Refused',
    tone: 'bad',
    sentence: 'Not called: the voice platform refused the call, for example because of its number.',
    fix: { text: 'See the call, correct the number, then retry', at: 'call' },
  },
  lost: {
    name: 'Outcome unknown',
    tone: 'bad',
    sentence: 'Perhaps not called: the voice platform did not report the outcome of the call.',
    fix: { text: 'See the call', at: 'call' },
  },
};

/** @returns the words for an outcome; for one that a newer version of the service wrote, its name */
export const describeOutcome = (outcome: string): OutcomeWords =>
  known(outcomeWords, outcome) ?? {
    name: outcome,
    tone: 'plain',
    sentence: `Its outcome: ${outcome}.`,
    fix: outcomeWords.ignored.fix,
  };
