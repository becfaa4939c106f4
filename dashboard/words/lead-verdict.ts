import { SUNDAY_INTERVAL_SECONDS } from '../../shared/domain/leads/sunday-interval.ts';
import type { Explanation } from '../../shared/messages/dashboard/leads.ts';
import type { Tone } from '../parts/tones.ts';
import { endedInWords } from './calls.ts';
import { ownerSentence } from './lead-owner.ts';
import { ASK_OTHERWISE, mayBeLeadId, nothingReached } from './lead-question.ts';
import { reasonInWords, reasonsOfToday } from './lead-reasons.ts';
import { crmNames } from './leads.ts';
import { type FixPlace, outcomeWords } from './outcomes.ts';
import { timeInIndia } from './times.ts';

type Verdict = NonNullable<Explanation['verdict']>;
type Check = Verdict['checks'][number];

/** A fix with its place, where there is one. */
export type FixInWords = { text: string; href?: string | undefined };

export type VerdictInWords = {
  tone: Exclude<Tone, 'plain'>;
  sentence: string;
  /** What Activity noted at the event; '' where the sentence tells more. */
  reason: string;
  fix: FixInWords;
};

export const checkNames: Readonly<Record<Check['check'], string>> = {
  kind: 'about a lead',
  auto_call: 'auto-call on',
  lead_id: 'lead id',
  crm: 'given by the CRM',
  owner: 'owner',
  phone: 'a number to call',
  own_number: 'not your own number',
  do_not_call: 'may be called',
  destination: 'an allowed country',
  assistant: 'assistant',
  sweep: 'not retried for 20 hours',
  lead_uncalled: 'lead not called yet',
  phone_uncalled: 'number not called yet',
  window: 'calling hours',
  credit: 'credit',
  dial: 'phone dialed',
};

export const checkStateNames: Readonly<Record<Check['state'], string>> = {
  passed: 'passed',
  failed: 'failed',
  waits: 'waits',
  open: 'not checked',
};

export const healthNames: Readonly<Record<Explanation['connections'][number]['health'], string>> = {
  not_connected: 'is not set up yet',
  healthy: 'is healthy',
  unhealthy: 'does not work',
  silent: 'delivers nothing',
  rejecting: 'refuses what is delivered',
  needs_reconnect: 'needs a consent',
};

/** Where a fix leads to, given what is known. */
export function fixHref(
  place: FixPlace,
  known: {
    connection_id: string;
    call?: { id: string } | null;
    other_call?: { id: string } | null;
    phone?: string | null;
  },
): string | undefined {
  const ofCall = (call: { id: string } | null | undefined) => call && `/calls/${encodeURIComponent(call.id)}`;
  switch (place) {
    case 'call':
      return ofCall(known.call) ?? undefined;
    case 'other_call':
      return ofCall(known.other_call) ?? undefined;
    case 'connection':
      return `/connections/${encodeURIComponent(known.connection_id)}`;
    case 'do_not_call':
      return known.phone ? `/do-not-call?prefix=${encodeURIComponent(known.phone)}` : '/do-not-call';
    case 'credit':
      return '/credit';
    case 'organization':
      return '/settings/organization';
    case 'none':
      return undefined;
  }
}

/** @returns the answer to "Why was this lead not called?", in one sentence with one fix */
export function verdictInWords(explained: Explanation): VerdictInWords {
  const { verdict, asked } = explained;
  if (!verdict) return notReached(explained);
  const words = outcomeWords[verdict.outcome];
  const href = fixHref(words.fix.at, { ...verdict, phone: asked.phone ?? explained.number?.phone ?? null });
  const tone = words.tone === 'plain' ? 'info' : words.tone;
  const entry = explained.events.find(({ id }) => id === verdict.event_id);
  // The call has gone on since.
  const reason = tellsCall(verdict) ? '' : reasonInWords({ ...verdict, source: entry?.source ?? 'retry' });
  return { tone, sentence: sentenceOf(verdict), reason, fix: { text: words.fix.text, href } };
}

/** The outcomes of which the call itself tells more. */
const hasCall: readonly Verdict['outcome'][] = ['call queued', 'call scheduled', 'spend_limit_reached'];

function sentenceOf({ outcome, call, owner, other_call }: Verdict): string {
  const { sentence } = outcomeWords[outcome];
  if (outcome === 'owner_mismatch') return ownerSentence(owner);
  if (outcome === 'retried_recently' && other_call) {
    const again = new Date(Date.parse(other_call.placed_at) + SUNDAY_INTERVAL_SECONDS * 1000).toISOString();
    return `${sentence} It may again from ${timeInIndia(again)} on.`;
  }
  return call && tellsCall({ outcome, call }) ? callSentence(call) : sentence;
}

/** Whether the call says more than the outcome of the event that placed it. */
function tellsCall({ outcome, call }: Pick<Verdict, 'outcome' | 'call'>): boolean {
  const isStillWaiting = outcome === 'spend_limit_reached' && (call?.status === 'queued' || call?.status === 'dialing');
  return call !== null && !isStillWaiting && hasCall.includes(outcome);
}

/** @param on when the call was placed, such as " on 2 Mar"; '' where the event says it */
function callSentence(call: Explanation['calls'][number], on = ''): string {
  if (call.scheduled_for) return `It is called when the call window opens, on ${timeInIndia(call.scheduled_for)}.`;
  switch (call.status) {
    case 'scheduled':
    case 'queued':
      return 'It is about to be called: its call waits for a line.';
    case 'canceled':
    case 'failed':
      return `It was to be called${on}, but its phone did not ring. ${call.ended_reason ? endedInWords(call.ended_reason) : ''}`.trim();
    case 'no_answer':
      return `It was called${on}, and nobody answered.`;
    case 'busy':
      return `It was called${on}, and the line was busy.`;
    case 'completed':
    case 'transferred':
      return `It was called${on} and answered.`;
    default:
      return 'It is being called right now.';
  }
}

/** @returns where a test event tries out what is changed; undefined where the connection is not what stood in the way */
export function testPlaceOf({ verdict }: Explanation): string | undefined {
  if (!verdict || outcomeWords[verdict.outcome].fix.at !== 'connection') return undefined;
  return `/connections/${encodeURIComponent(verdict.connection_id)}#test-event`;
}

/** Calls that no event of a CRM led to. */
function calledByOthers(call: Explanation['calls'][number]): VerdictInWords {
  const told = callSentence(call, ` on ${timeInIndia(call.placed_at)}`);
  return {
    tone: 'info',
    reason: '',
    sentence: `${told} No CRM named it: an API key or a member had the call placed.`,
    fix: { text: 'See the call', href: fixHref('call', { connection_id: '', call }) },
  };
}

function notReached({ asked, calls, connections, number }: Explanation): VerdictInWords {
  const [newest] = calls;
  if (newest) return calledByOthers(newest);
  const listed = number?.do_not_call ? ' The number is on the do-not-call list, so it would not be called.' : '';
  const own = number?.is_own ? ' It is one of your own numbers, so it would not be called.' : '';
  const sentence = `${nothingReached(asked)}${listed}${own}`;
  const reason = '';
  if (!mayBeLeadId(asked)) return { tone: 'warn', sentence, reason, fix: { text: ASK_OTHERWISE } };
  const [broken] = connections.filter(({ health }) => health !== 'healthy');
  if (connections.length === 0)
    return { tone: 'warn', sentence, reason, fix: { text: 'Connect a CRM', href: '/connections' } };
  if (!broken)
    return {
      tone: 'warn',
      sentence,
      reason,
      fix: { text: 'Look in the CRM whether the lead was changed, and whether it notifies us' },
    };
  const text = `Look at ${crmNames[broken.crm]}: it ${healthNames[broken.health]}`;
  return {
    tone: 'warn',
    sentence,
    reason,
    fix: { text, href: `/connections/${encodeURIComponent(broken.connection_id)}` },
  };
}

/** @returns what another event of the lead would become, as a sentence; '' where that makes no sense */
export function nowInWords({ now, verdict }: Explanation): string {
  if (!now || !verdict) return '';
  const IF = 'If it came in now';
  if (now.unknown === 'phone') return `${IF}: its number is not kept here. Ask by the number to know.`;
  if (now.unknown === 'access') return `${IF}: the access to CRM-B is being renewed. Ask again in some minutes.`;
  if (now.outcome === 'call queued') return `${IF}, it would be called.`;
  if (now.outcome === 'call scheduled' && now.opens_at)
    return `${IF}, it would be called when the call window opens, on ${timeInIndia(now.opens_at)}.`;
  if (now.outcome === verdict.outcome) return `${IF}: the same.`;
  const reason = (now.outcome && reasonsOfToday[now.outcome]) ?? now.reason ?? '';
  return `${IF}, it would not be called${verdict.outcome === 'call queued' ? ' again' : ''}. ${reason}`.trim();
}
