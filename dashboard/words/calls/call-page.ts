import type { Callback } from '../../../shared/domain/after-call/callbacks/callback.ts';
import type { RemoteWrite } from '../../../shared/domain/calls/call.ts';
import type { leadSources } from '../../../shared/domain/connections/activity.ts';
import { connectionNames } from '../../../shared/domain/connections/connection-words.ts';
import type { ShownCall } from '../../../shared/messages/dashboard/calls.ts';
import { nameIn } from '../newer.ts';
import { formatDayInIndia, formatTimeInIndia } from '../times.ts';
import type { Tone } from '../tones.ts';
import { hasEnded, statusWords } from './calls.ts';

type Words = { name: string; tone: Tone };

export const stepWords: Readonly<Record<ShownCall['steps'][number]['step'], string>> = {
  call_log: 'CRM-B: call log',
  note: 'CRM-B: note with the transcript',
  ticket_contact: 'Help desk: contact',
  ticket: 'Help desk: ticket',
  ticket_tags: 'Help desk: tags',
  ticket_recording: 'Help desk: recording',
  ticket_transcript: 'Help desk: transcript',
  ticket_refresh: 'Help desk: status refresh',
};

export const stepStates: Readonly<Record<RemoteWrite['state'], Words>> = {
  asked: { name: 'In progress', tone: 'plain' },
  written: { name: 'Done', tone: 'good' },
  none: { name: 'Not needed', tone: 'plain' },
  failed: { name: 'Failed', tone: 'bad' },
  unconfirmed: { name: 'Not confirmed', tone: 'warn' },
};

/** @returns which writes to CRM-B or the help desk are outstanding, and why */
export function describeOpenStep({ of, error, next_at }: ShownCall['open_steps'][number]): string {
  const next = next_at === null ? '' : ` Next attempt: ${formatTimeInIndia(next_at)}.`;
  const missing = `${connectionNames[of]} has not received all updates yet.`;
  return `${missing} The last attempt failed: ${error.replace(/\.$/, '')}.${next}`;
}

export const callbackStates: Readonly<Record<Callback['state'], Words>> = {
  pending: { name: 'Pending', tone: 'plain' },
  delivered: { name: 'Delivered', tone: 'good' },
  failed: { name: 'Failed', tone: 'bad' },
  superseded: { name: 'Replaced by a later one', tone: 'plain' },
  gone: { name: 'Permanently refused (410)', tone: 'bad' },
};

/** Why an attempt reached no server, by the codes of Node.js (its names of `errno`, TLS and X.509). */
const networkErrors: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the server refused the connection',
  ECONNRESET: 'the connection closed before an answer',
  EHOSTUNREACH: 'the server cannot be reached',
  ENETUNREACH: 'the server cannot be reached',
  ENOTFOUND: 'the server name does not exist',
  CERT_HAS_EXPIRED: 'the server’s certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the server’s certificate is self-signed',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the server’s certificate is for another name',
  SELF_SIGNED_CERT_IN_CHAIN: 'the server’s certificate is self-signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the server does not send its intermediate certificate',
};

type Attempt = ShownCall['callbacks'][number]['attempts'][number];

/** @returns an attempt's result, with the code for a developer */
export function describeAttempt({ status_code, error }: Pick<Attempt, 'status_code' | 'error'>): string {
  if (status_code !== null) return `answered ${status_code}`;
  if (error === null) return 'no result yet';
  const [code = ''] = /\b[A-Z][A-Z_]{3,}\b/.exec(error) ?? [];
  return Object.hasOwn(networkErrors, code) ? `${networkErrors[code]} (${code})` : error;
}

/** After this time, a requested attempt seems lost and may be requested again. */
const RESEND_TIMEOUT_MS = 3 * 60_000;

/** @param askedAt when a person requested the attempt in progress; null without one. @param now in milliseconds */
export const isBeingSent = (askedAt: string | null, now: number): boolean =>
  askedAt !== null && now - Date.parse(askedAt) < RESEND_TIMEOUT_MS;

/** "call.completed" → "Completed": the event that a callback reports. */
export function callbackName(type: string): string {
  const status = type.replace(/^call\./, '');
  if (status === 'analyzed') return 'Analysis';
  return Object.entries(statusWords).find(([code]) => code === status)?.[1].name ?? type;
}

const leadSourceNames: Readonly<Record<(typeof leadSources)[number], string>> = {
  webhook: 'Lead event',
  test: 'Test event',
  retry: 'Retry of a lead event',
  'catch-up': 'Lead event, fetched later',
  'sunday-sweep': 'Sunday retry',
  release: 'Lead event',
};

/** @returns the source of a call, and the page about it; null for calls from before the source was stored */
export function describePlacedBy({ placed_by, lead }: Pick<ShownCall, 'placed_by' | 'lead'>) {
  if (!placed_by) return null;
  switch (placed_by.kind) {
    case 'key':
      return { name: `API key ${placed_by.name}`, href: '/developers/keys' };
    case 'member':
      return { name: `${placed_by.name}, in the dashboard`, href: undefined };
    case 'newer':
      return { name: placed_by.name, href: undefined };
    case 'lead': {
      const { source, asked_by } = placed_by;
      const name = nameIn(leadSourceNames, source) + (asked_by === null ? '' : `, by ${asked_by}`);
      return { name, href: lead ? `/leads?ask=${encodeURIComponent(lead.lead_id)}` : undefined };
    }
  }
}

/** @returns why a call is not dialed yet */
export function describeWait({ for: reason, until }: NonNullable<ShownCall['waits']>): string {
  if (reason === 'window')
    return until ? `The call waits for its call window, until ${formatTimeInIndia(until)}.` : 'The call is waiting.';
  return `The call waits for a free line${until ? `, until ${formatTimeInIndia(until)} at the latest` : ''}.`;
}

/** @returns why a transcript is missing; undefined if there is one */
export function whyNoTranscript({ transcript, status, duration }: ShownCall): string | undefined {
  if (transcript.state === 'unavailable') return 'The transcript cannot be read right now. Reload the page.';
  if (transcript.state === 'stored' && transcript.text?.trim()) return undefined;
  if (duration === null) return 'The transcript appears after the call ends.';
  return duration === 0 || status === 'no_answer'
    ? 'There was no conversation.'
    : 'The voice platform sent no transcript.';
}

/** @returns why a recording is missing; undefined if there is one */
export function whyNoRecording({ recording, duration }: ShownCall): string | undefined {
  if (recording?.state === 'stored') return undefined;
  if (recording?.state === 'failed') return 'The recording could not be fetched from the voice platform.';
  if (recording?.state === 'pending') return 'The recording is being fetched and will appear here automatically.';
  return duration === null ? 'The recording appears after the call ends.' : 'There was no conversation to record.';
}

/** @returns why the result of an analysis is missing; undefined if there is one */
export function whyNoAnalysis({ analysis, is_live, duration }: ShownCall): string | undefined {
  if (analysis?.result) return undefined;
  if (analysis?.state === 'pending') return 'The analysis is in progress and will appear here automatically.';
  if (analysis?.state === 'failed') return 'The analysis failed.';
  return is_live || duration === null ? 'The call is analyzed after it ends.' : 'There was nothing to analyze.';
}

/** @returns why a call cannot be analyzed again; undefined if it can */
export function whyNotAnalyzable(call: ShownCall): string | undefined {
  if (!hasEnded(call)) return 'The call is analyzed after it ends.';
  return whyNoTranscript(call);
}

/** @returns what stopping a call does in its current state */
export function describeStop({ status, waits, lead }: ShownCall): string {
  if (status !== 'scheduled' && waits === null)
    return 'The voice platform hangs up. The conversation so far is charged.';
  const again = lead ? ' The lead’s next event may place another call.' : '';
  return `The phone will not ring, and any held credit is released.${again}`;
}

/** "22 Nov 2026": the day in India on which a call was placed. */
export const formatCallDay = ({ placed_at }: ShownCall): string => formatDayInIndia(placed_at);

/** @returns a value of the assistant's own fields, as text */
export const formatFieldValue = (value: unknown): string => {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value);
};
