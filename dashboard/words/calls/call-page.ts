import { connectionNames } from '../../../shared/domain/connections/connection-words.ts';
import type { ShownCall } from '../../../shared/messages/dashboard/calls.ts';
import { dayInIndia, timeInIndia } from '../times.ts';
import type { Tone } from '../tones.ts';
import { hasEnded, statusWords } from './calls.ts';

type Words = { name: string; tone: Tone };

export const stepWords: Readonly<Record<ShownCall['steps'][number]['step'], string>> = {
  call_log: 'CRM-B: entry of the call',
  note: 'CRM-B: note with the transcript',
  ticket_contact: 'Help desk: contact',
  ticket: 'Help desk: ticket',
  ticket_tags: 'Help desk: tags',
  ticket_recording: 'Help desk: recording',
  ticket_transcript: 'Help desk: transcript',
  ticket_refresh: 'Help desk: status read again',
};

export const stepStates: Readonly<Record<ShownCall['steps'][number]['state'], Words>> = {
  asked: { name: 'Under way', tone: 'plain' },
  written: { name: 'Done', tone: 'good' },
  none: { name: 'Not needed', tone: 'plain' },
  failed: { name: 'Failed', tone: 'bad' },
  unconfirmed: { name: 'Not confirmed', tone: 'warn' },
};

/** @returns which writes to CRM-B or the help desk are outstanding, and why */
export function openStepInWords({ of, error, next_at }: ShownCall['open_steps'][number]): string {
  const next = next_at === null ? '' : ` The next one: ${timeInIndia(next_at)}.`;
  const told = `${connectionNames[of]} has not received everything yet.`;
  return `${told} The last try failed: ${error.replace(/\.$/, '')}.${next}`;
}

export const callbackStates: Readonly<Record<ShownCall['callbacks'][number]['state'], Words>> = {
  pending: { name: 'Under way', tone: 'plain' },
  delivered: { name: 'Delivered', tone: 'good' },
  failed: { name: 'Given up', tone: 'bad' },
  superseded: { name: 'Superseded by a later one', tone: 'plain' },
  gone: { name: 'Refused for good (410)', tone: 'bad' },
};

/** Why an attempt reached no server, by the codes of Node.js (its names of `errno`, TLS and X.509). */
const unreached: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing accepts connections there',
  ECONNRESET: 'the connection was cut before an answer',
  EHOSTUNREACH: 'there is no way to this server',
  ENETUNREACH: 'there is no way to this server',
  ENOTFOUND: 'this server name does not exist',
  CERT_HAS_EXPIRED: 'the certificate there has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate there is self-signed',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate there is for another name',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate there is self-signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the server sends its certificate without the intermediate one',
};

type Attempt = ShownCall['callbacks'][number]['attempts'][number];

/** @returns an attempt's result, with the code for a developer */
export function attemptInWords({ status_code, error }: Pick<Attempt, 'status_code' | 'error'>): string {
  if (status_code !== null) return `answered ${status_code}`;
  if (error === null) return 'no result yet';
  const [code = ''] = /\b[A-Z][A-Z_]{3,}\b/.exec(error) ?? [];
  return Object.hasOwn(unreached, code) ? `${unreached[code]} (${code})` : error;
}

/** @returns the callbacks of a call that the client's system never accepted */
export const toSendAgain = ({ callbacks }: Pick<ShownCall, 'callbacks'>): ShownCall['callbacks'] =>
  callbacks.filter(({ state }) => state === 'failed' || state === 'gone');

/** A request for an attempt that is older seems lost, and may be repeated. */
const ASKED_MS = 3 * 60_000;

/** @param askedAt since when an attempt that a person requested is in progress @param now in milliseconds */
export const isBeingSent = (askedAt: string | null, now: number): boolean =>
  askedAt !== null && now - Date.parse(askedAt) < ASKED_MS;

/** "call.completed": the event sent to the client's system. */
export function callbackInWords(type: string): string {
  const status = type.replace(/^call\./, '');
  if (status === 'analyzed') return 'Analysis';
  return Object.entries(statusWords).find(([code]) => code === status)?.[1].name ?? type;
}

const leadSourceNames: Readonly<Record<PlacedByLead['source'], string>> = {
  webhook: 'Lead event',
  test: 'Test event',
  retry: 'Retry of a lead event',
  'catch-up': 'Lead event, caught up',
  'sunday-sweep': 'Sunday retry',
  release: 'Lead event',
};

type PlacedByLead = Extract<NonNullable<ShownCall['placed_by']>, { kind: 'lead' }>;

/** @returns the source of a call, and the page about it; null for calls from before this was stored */
export function placedByInWords({ placed_by, lead }: Pick<ShownCall, 'placed_by' | 'lead'>) {
  if (!placed_by) return null;
  switch (placed_by.kind) {
    case 'key':
      return { name: `API key ${placed_by.name}`, href: '/developers/keys' };
    case 'member':
      return { name: `${placed_by.name}, in the dashboard`, href: undefined };
    case 'lead': {
      const { source, asked_by } = placed_by;
      const name = leadSourceNames[source] + (asked_by === null ? '' : `, by ${asked_by}`);
      return { name, href: lead ? `/leads?ask=${encodeURIComponent(lead.lead_id)}` : undefined };
    }
  }
}

/** @returns why a call is not dialed yet */
export function waitInWords({ for: reason, until }: NonNullable<ShownCall['waits']>): string {
  if (reason === 'window') return until ? `It waits for its call window, until ${timeInIndia(until)}.` : 'It waits.';
  return `It waits for a free line${until ? `, until ${timeInIndia(until)} at the latest` : ''}.`;
}

/** @returns why a transcript is missing; undefined if there is one */
export function noTranscript({ transcript, status, duration }: ShownCall): string | undefined {
  if (transcript.state === 'unavailable') return 'The transcript cannot be read right now. Load the page again.';
  if (transcript.state === 'stored' && transcript.text?.trim()) return undefined;
  if (duration === null) return 'The transcript comes when the call has ended.';
  return duration === 0 || status === 'no_answer' ? 'Nobody spoke.' : 'The voice platform sent no transcript.';
}

/** @returns why a recording is missing; undefined if there is one */
export function noRecording({ recording, duration }: ShownCall): string | undefined {
  if (recording?.state === 'stored') return undefined;
  if (recording?.state === 'failed') return 'The recording could not be fetched from the voice platform.';
  if (recording?.state === 'pending') return 'The recording is being fetched. It shows here by itself.';
  return duration === null ? 'The recording comes when the call has ended.' : 'There is no recording: nobody spoke.';
}

/** @returns why the result of an analysis is missing; undefined if there is one */
export function noAnalysis({ analysis, is_live, duration }: ShownCall): string | undefined {
  if (analysis?.result) return undefined;
  if (analysis?.state === 'pending') return 'The analysis is being made. It shows here by itself.';
  if (analysis?.state === 'failed') return 'The analysis failed.';
  return is_live || duration === null
    ? 'The analysis is made when the call has ended.'
    : 'There was nothing to analyze.';
}

/** @returns why a call cannot be analyzed again; undefined if it can */
export function noRepeatedAnalysis(call: ShownCall): string | undefined {
  if (!hasEnded(call)) return 'The analysis is made when the call has ended.';
  return noTranscript(call);
}

/** @returns what stopping a call does in its current state */
export function stopConsequence({ status, waits, lead }: ShownCall): string {
  if (status !== 'scheduled' && waits === null)
    return 'The voice platform hangs up. The time talked so far is charged.';
  return `The phone does not ring, and the held credit is free again.${lead ? ' The next event of the lead may call it.' : ''}`;
}

/** "22 Nov 2026": names a page of a call besides its number. */
export const callDay = ({ placed_at }: ShownCall): string => dayInIndia(placed_at);

/** @returns a value of the assistant's own fields, as text */
export const fieldInWords = (value: unknown): string => {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value);
};
