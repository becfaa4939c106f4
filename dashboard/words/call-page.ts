import { factsAfterEnd } from '../../shared/domain/calls/call-facts.ts';
import { terminalStatuses } from '../../shared/domain/calls/call-status.ts';
import { connectionNames } from '../../shared/domain/connections/connection-words.ts';
import type { ShownCall } from '../../shared/messages/dashboard/calls.ts';
import type { Tone } from '../parts/tones.ts';
import { endedInWords, hasEnded, statusWords } from './calls.ts';
import { dayInIndia, timeInIndia } from './times.ts';

type Words = { name: string; tone: Tone };

/** What happened to a call. */
export const factWords: Readonly<Record<ShownCall['timeline'][number]['what'], string>> = {
  placed: 'Placed',
  due: 'Due, when its call window opens',
  dialed: 'Dialed',
  rang: 'Rang',
  answered: 'Answered',
  stop_asked: 'Stop requested',
  hung_up: 'Hung up',
  ended: 'Ended',
  recorded: 'Recording stored',
  analyzed: 'Analyzed',
  listed: 'Number put on the do-not-call list',
  finished: 'Everything done here',
};

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

/** @returns what CRM-B or the help desk was not told yet, and why */
export function openStepInWords({ of, error, next_at }: ShownCall['open_steps'][number]): string {
  const next = next_at === null ? '' : ` The next one: ${timeInIndia(next_at)}.`;
  const told = `${connectionNames[of]} was not told everything yet.`;
  return `${told} The last try failed: ${error.replace(/\.$/, '')}.${next}`;
}

export const callbackStates: Readonly<Record<ShownCall['callbacks'][number]['state'], Words>> = {
  pending: { name: 'Under way', tone: 'plain' },
  delivered: { name: 'Delivered', tone: 'good' },
  failed: { name: 'Given up', tone: 'bad' },
  superseded: { name: 'Replaced by a later one', tone: 'plain' },
  gone: { name: 'Refused for good (410)', tone: 'bad' },
};

type Follows = Pick<ShownCall, 'timeline' | 'steps' | 'callbacks' | 'ended_reason' | 'attempts'>;

/** A line of a call's timeline. */
export type TimelineLine = { key: string; text: string; note?: string | undefined; at: string };

/** `follows`: it followed from the end of the call, so that it is below it, whatever the platform's clock says. */
type Placed = TimelineLine & { follows?: boolean };

/** @returns what happened to a call, what CRM-B and the help desk were told, and each attempt of a callback, by their times */
export function timelineInWords({ timeline, steps, callbacks, ended_reason, attempts }: Follows): TimelineLine[] {
  const facts = timeline.map(({ what, at }): Placed => {
    const ended = what === 'ended' && ended_reason ? endedInWords(ended_reason) : undefined;
    const dialed = what === 'dialed' && attempts > 1 ? `attempt ${attempts}` : undefined;
    return { key: what, text: factWords[what], note: ended ?? dialed, at };
  });
  const told = steps.flatMap(({ step, state, at }): Placed[] => {
    if (state !== 'written' && state !== 'failed' && state !== 'unconfirmed') return [];
    const end = state === 'written' ? '' : `: ${stepStates[state].name.toLowerCase()}`;
    return [{ key: step, text: `${stepWords[step]}${end}`, at, follows: true }];
  });
  const sent = callbacks.flatMap(({ webhook_id, type, attempts: tries }) =>
    tries.flatMap(({ at, status_code: code, error, is_asked }, index): Placed[] => {
      if (code === null && error === null) return [];
      const end = code !== null && code >= 200 && code < 300 ? 'delivered' : 'not delivered';
      const note = `${is_asked ? 'sent by hand, ' : ''}${code === null ? error : `answered ${code}`}`;
      const text = `Callback ${end}: ${callbackInWords(type)}`;
      return [{ key: `${webhook_id} ${index}`, text, note, at, follows: tellsOfEnd(type) }];
    }),
  );
  const end = timeline.find(({ what }) => what === 'ended')?.at ?? '';
  const follows = ({ key, follows: isNext = false }: Placed) => isNext || factsAfterEnd.some((what) => what === key);
  const placeOf = (line: Placed) => (follows(line) && line.at < end ? end : line.at);
  return [...facts, ...told, ...sent]
    .toSorted((one, other) => one.at.localeCompare(other.at))
    .toSorted(
      (one, other) => placeOf(one).localeCompare(placeOf(other)) || Number(follows(one)) - Number(follows(other)),
    )
    .map(({ follows: _, ...line }) => line);
}

/** Whether a callback tells of the end of a call, or of what came after it. */
const tellsOfEnd = (type: string): boolean =>
  type === 'call.analyzed' || terminalStatuses.some((status) => type === `call.${status}`);

/** @returns the callbacks of a call that the client's system never took */
export const toSendAgain = ({ callbacks }: Pick<ShownCall, 'callbacks'>): ShownCall['callbacks'] =>
  callbacks.filter(({ state }) => state === 'failed' || state === 'gone');

/** A request for an attempt that is older seems lost, and may be repeated. */
const ASKED_MS = 3 * 60_000;

/** @param askedAt since when an attempt is under way that a person asked for @param now in milliseconds */
export const isBeingSent = (askedAt: string | null, now: number): boolean =>
  askedAt !== null && now - Date.parse(askedAt) < ASKED_MS;

/** "call.completed": what the client's system is told. */
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

/** @returns who or what placed a call, and the page about it; null for calls from before this was stored */
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

/** @returns why there is no transcript to read; undefined where there is one */
export function noTranscript({ transcript, status, duration }: ShownCall): string | undefined {
  if (transcript.state === 'unavailable') return 'The transcript cannot be read right now. Load the page again.';
  if (transcript.state === 'stored' && transcript.text?.trim()) return undefined;
  if (duration === null) return 'The transcript comes when the call has ended.';
  return duration === 0 || status === 'no_answer' ? 'Nobody spoke.' : 'The voice platform sent no transcript.';
}

/** @returns why there is no recording to play; undefined where there is one */
export function noRecording({ recording, duration }: ShownCall): string | undefined {
  if (recording?.state === 'stored') return undefined;
  if (recording?.state === 'failed') return 'The recording could not be fetched from the voice platform.';
  if (recording?.state === 'pending') return 'The recording is being fetched. It shows here by itself.';
  return duration === null ? 'The recording comes when the call has ended.' : 'There is no recording: nobody spoke.';
}

/** @returns why there is no result of an analysis; undefined where there is one */
export function noAnalysis({ analysis, is_live, duration }: ShownCall): string | undefined {
  if (analysis?.result) return undefined;
  if (analysis?.state === 'pending') return 'The analysis is being made. It shows here by itself.';
  if (analysis?.state === 'failed') return 'The analysis failed.';
  return is_live || duration === null
    ? 'The analysis is made when the call has ended.'
    : 'There was nothing to analyze.';
}

/** @returns why a call cannot be analyzed again; undefined where it can be */
export function noRepeatedAnalysis(call: ShownCall): string | undefined {
  if (!hasEnded(call)) return 'The analysis is made when the call has ended.';
  return noTranscript(call);
}

/** @returns what stopping a call does in its present state */
export function stopConsequence({ status, waits, lead }: ShownCall): string {
  if (status !== 'scheduled' && waits === null) return 'The voice platform hangs up. What was talked is charged.';
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
