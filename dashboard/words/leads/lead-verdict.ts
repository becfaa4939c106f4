import { SUNDAY_INTERVAL_SECONDS } from '../../../shared/domain/calls/dialing/sunday-interval.ts';
import type { Explanation } from '../../../shared/messages/dashboard/leads.ts';
import { describeEndedReason } from '../calls/calls.ts';
import { known, nameIn } from '../newer.ts';
import { formatTimeInIndia } from '../times.ts';
import type { Tone } from '../tones.ts';
import { decidedByNewer } from './decided-by-newer.ts';
import { ownerSentence } from './lead-owner.ts';
import { HOW_TO_SEARCH, mayBeLeadId, noEventFound } from './lead-question.ts';
import { describeReason, reasonsOfToday } from './lead-reasons.ts';
import { crmNames } from './leads.ts';
import { describeOutcome, type FixPlace } from './outcomes.ts';

type Verdict = NonNullable<Explanation['verdict']>;
type Check = Verdict['checks'][number];

/** A fix with its place, if it has one. */
export type DescribedFix = { text: string; href?: string | undefined };

export type DescribedVerdict = {
  tone: Exclude<Tone, 'plain'>;
  sentence: string;
  /** The reason that Activity recorded at the event; absent if the sentence says more. */
  reason?: string;
  fix: DescribedFix;
};

export const checkNames: Readonly<Record<Check['check'], string>> = {
  kind: 'about a lead',
  auto_call: 'auto-call on',
  lead_id: 'lead id',
  crm: 'returned by the CRM',
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
  rejecting: 'refuses deliveries',
  needs_reconnect: 'needs a consent',
};

/** Returns the address where a person applies a fix, from the facts that are known. */
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
export function describeVerdict(explained: Explanation): DescribedVerdict {
  const { verdict, asked } = explained;
  const [newest] = explained.events;
  if (!verdict) return newest ? decidedByNewer(newest) : notReached(explained);
  const words = describeOutcome(verdict.outcome);
  const href = fixHref(words.fix.at, { ...verdict, phone: asked.phone ?? explained.number?.phone ?? null });
  const tone = words.tone === 'plain' ? 'info' : words.tone;
  const entry = explained.events.find(({ id }) => id === verdict.event_id);
  // Omitted if the call says more: it has progressed since.
  const reason = callSaysMore(verdict) ? undefined : describeReason({ ...verdict, source: entry?.source ?? 'retry' });
  const fix = { text: words.fix.text, href };
  return { tone, sentence: sentenceOf(verdict), fix, ...(reason !== undefined && { reason }) };
}

/** The outcomes about which the call itself says more. */
const hasCall: readonly Verdict['outcome'][] = ['call queued', 'call scheduled', 'spend_limit_reached'];

function sentenceOf({ outcome, call, owner, other_call }: Verdict): string {
  const { sentence } = describeOutcome(outcome);
  if (outcome === 'owner_mismatch') return ownerSentence(owner);
  if (outcome === 'retried_recently' && other_call) {
    const again = new Date(Date.parse(other_call.placed_at) + SUNDAY_INTERVAL_SECONDS * 1000).toISOString();
    return `${sentence} The retry may call it again from ${formatTimeInIndia(again)} on.`;
  }
  return call && callSaysMore({ outcome, call }) ? callSentence(call) : sentence;
}

/** Returns whether the call says more than the outcome of the event that placed it. */
function callSaysMore({ outcome, call }: Pick<Verdict, 'outcome' | 'call'>): boolean {
  const isStillWaiting = outcome === 'spend_limit_reached' && (call?.status === 'queued' || call?.status === 'dialing');
  return call !== null && !isStillWaiting && hasCall.includes(outcome);
}

/** @param on when the call was placed, such as " on 2 Mar"; '' if the event says it */
function callSentence(call: Explanation['calls'][number], on = ''): string {
  if (call.scheduled_for)
    return `It is called when the call window opens, on ${formatTimeInIndia(call.scheduled_for)}.`;
  switch (call.status) {
    case 'scheduled':
    case 'queued':
      return 'It is about to be called: its call waits for a line.';
    case 'canceled':
    case 'failed':
      return `It was to be called${on}, but its phone did not ring. ${call.ended_reason ? describeEndedReason(call.ended_reason) : ''}`.trim();
    case 'no_answer':
      return `It was called${on}, but the call was not answered.`;
    case 'busy':
      return `It was called${on}, and the line was busy.`;
    case 'completed':
    case 'transferred':
      return `It was called${on} and answered.`;
    default:
      return 'It is being called right now.';
  }
}

/** @returns where to test the changed settings with a test event; undefined if the connection was not the obstacle */
export function testPlaceOf({ verdict }: Explanation): string | undefined {
  if (!verdict || describeOutcome(verdict.outcome).fix.at !== 'connection') return undefined;
  return `/connections/${encodeURIComponent(verdict.connection_id)}#test-event`;
}

/** Describes a call that no CRM event placed. */
function calledByOthers(call: Explanation['calls'][number]): DescribedVerdict {
  const outcome = callSentence(call, ` on ${formatTimeInIndia(call.placed_at)}`);
  return {
    tone: 'info',
    sentence: `${outcome} The call did not come from a CRM: an API key or a member placed it.`,
    fix: { text: 'See the call', href: fixHref('call', { connection_id: '', call }) },
  };
}

function notReached({ asked, calls, connections, number }: Explanation): DescribedVerdict {
  const [newest] = calls;
  if (newest) return calledByOthers(newest);
  const listed = number?.do_not_call ? ' The number is on the do-not-call list, so it would not be called.' : '';
  const own = number?.is_own ? ' It is one of your own numbers, so it would not be called.' : '';
  const sentence = `${noEventFound(asked)}${listed}${own}`;
  if (!mayBeLeadId(asked)) return { tone: 'warn', sentence, fix: { text: HOW_TO_SEARCH } };
  const [broken] = connections.filter(({ health }) => health !== 'healthy');
  if (connections.length === 0) return { tone: 'warn', sentence, fix: { text: 'Connect a CRM', href: '/connections' } };
  if (!broken)
    return {
      tone: 'warn',
      sentence,
      fix: { text: 'Check in the CRM that the lead was changed, and that the CRM notifies us' },
    };
  const text = `Look at ${nameIn(crmNames, broken.crm)}: it ${healthNames[broken.health]}`;
  return {
    tone: 'warn',
    sentence,
    fix: { text, href: `/connections/${encodeURIComponent(broken.connection_id)}` },
  };
}

/** @returns the present decision about another event of the lead, as a sentence; '' if it would be meaningless */
export function describeDecisionNow({ now, verdict }: Explanation): string {
  if (!now || !verdict) return '';
  const IF = 'If it arrived now';
  if (now.unknown === 'phone') return `${IF}: its number is not stored here. Search by the number to find out.`;
  if (now.unknown === 'access') return `${IF}: the access to CRM-B is being renewed. Search again in some minutes.`;
  if (now.outcome === 'call queued') return `${IF}, it would be called.`;
  if (now.outcome === 'call scheduled' && now.opens_at)
    return `${IF}, it would be called when the call window opens, on ${formatTimeInIndia(now.opens_at)}.`;
  if (now.outcome === verdict.outcome) return `${IF}, the result would be the same.`;
  const reason = (now.outcome && known(reasonsOfToday, now.outcome)) ?? now.reason ?? '';
  return `${IF}, it would not be called${verdict.outcome === 'call queued' ? ' again' : ''}. ${reason}`.trim();
}
