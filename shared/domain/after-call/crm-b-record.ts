import type { Call } from '../calls/call.ts';
import { cutText } from '../text/cut-text.ts';
import { withoutMarkup } from '../text/plain-text.ts';

/** A record of CRM-B's Calls module (docs/crm-b.md, "Call logs and notes"). */
export type CallLogEntry = {
  /** Ends with the call's id, by which a lookup finds the record: the CRM has no idempotency key. */
  subject: string;
  /** ISO 8601 with +05:30, in seconds: the CRM refuses milliseconds. */
  start_time: string;
  /** HH:MM. */
  duration: string;
};

export type LeadNote = {
  /** Ends with the call's id. */
  title: string;
  content: string;
};

/** The maximum length of a note in UTF-16 units, as the CRM counts (docs/crm-b.md, "Call logs and notes"). */
const MAX_NOTE_CHARACTERS = 32_000;
/** Zoho CRM v8, Notes: Note_Title. */
const MAX_TITLE_CHARACTERS = 120;
const CUT_MARK = '\n[The transcript is too long for a note and is cut here.]';

/** India has no daylight saving time. */
const IST_OFFSET = '+05:30';
const IST_OFFSET_MS = 5.5 * 60 * 60 * 1000;
const MINUTE_SECONDS = 60;

/**
 * Builds the call log of a call.
 * @returns undefined for a call that never connected, because CRM-B refuses a duration of 00:00
 */
export function callLogOf(
  call: Pick<Call, 'call_id' | 'assistant_name' | 'duration' | 'started_at'>,
): CallLogEntry | undefined {
  if (!call.started_at || !call.duration || call.duration <= 0) return undefined;
  return {
    subject: titleOf('Call by', call),
    start_time: crmBTime(call.started_at),
    duration: callDuration(call.duration),
  };
}

/** Returns whether the call may have content for a note, without reading the transcript. */
export const mayHaveNote = (call: Pick<Call, 'transcript_key' | 'recording'>): boolean =>
  call.transcript_key !== undefined || call.recording?.state === 'stored';

/**
 * Builds the note with the transcript and the recording's link. Its text contains no markup, because the CRM may show a
 * note as HTML.
 * @returns undefined if the call has neither
 */
export function noteOf(
  call: Pick<Call, 'call_id' | 'assistant_name'>,
  { transcript = '', recordingLink }: { transcript?: string | undefined; recordingLink?: string | undefined },
): LeadNote | undefined {
  const said = withoutMarkup(transcript.toWellFormed()).trim();
  const link = recordingLink && `Recording (this link works for 30 days): ${recordingLink}`;
  if (!said && !link) return undefined;
  const end = link ? `\n\n${link}` : '';
  const content = said ? fitted(said, MAX_NOTE_CHARACTERS - end.length) + end : (link ?? '');
  return { title: titleOf('Transcript of the call by', call), content };
}

/** Writes an instant in CRM-B's format. @param instant ISO 8601. */
export const crmBTime = (instant: string): string =>
  `${new Date(Date.parse(instant) + IST_OFFSET_MS).toISOString().slice(0, 19)}${IST_OFFSET}`;

/**
 * Returns the whole minutes of a call, rounded down, as HH:MM; a call under a minute has 00:01. @param seconds more
 * than 0.
 */
export function callDuration(seconds: number): string {
  const minutes = Math.max(1, Math.floor(seconds / MINUTE_SECONDS));
  const twoDigits = (part: number) => String(part).padStart(2, '0');
  return `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
}

function titleOf(what: string, { assistant_name, call_id }: Pick<Call, 'call_id' | 'assistant_name'>): string {
  const end = `, ${call_id}`;
  return cutText(`${what} ${assistant_name.toWellFormed()}`, MAX_TITLE_CHARACTERS - end.length) + end;
}

const fitted = (text: string, most: number): string =>
  text.length <= most ? text : cutText(text, most - CUT_MARK.length) + CUT_MARK;
