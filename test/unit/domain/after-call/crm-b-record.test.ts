import fc from 'fast-check';
import {
  callDuration,
  callLogOf,
  crmBTime,
  mayHaveNote,
  noteOf,
} from '../../../../shared/domain/after-call/crm-b-record.ts';
import { anyText, longText } from '../../../support/values/any-text.ts';
import { forAll } from '../../../support/values/for-all.ts';
import { aCall } from '../../support/call.ts';

const call = aCall({ status: 'completed', started_at: '2026-01-05T05:00:00.999Z', duration: 42 });
const anyLongText = longText(40_000);
const anyLink = fc.option(fc.webUrl({ withQueryParameters: true }), { nil: undefined });

describe('a call in CRM-B’s log', () => {
  it('has a duration in whole minutes, rounded down, but at least one', () => {
    const minutes = [1, 59, 60, 119].map(callDuration);
    expect(minutes).toEqual(minutes.map(() => '00:01'));
    expect([120, 3599, 3600, 35_999].map(callDuration)).toEqual(['00:02', '00:59', '01:00', '09:59']);
    forAll([fc.integer({ min: 1, max: 359_999 })], (seconds) => {
      const [hours, minutes] = callDuration(seconds).split(':').map(Number) as [number, number];
      expect(callDuration(seconds)).toMatch(/^\d\d:[0-5]\d$/);
      expect(hours * 60 + minutes).toBe(Math.max(1, Math.floor(seconds / 60)));
    });
  });

  it('has its start in Indian time, without milliseconds', () => {
    expect(crmBTime('2026-01-05T18:29:59.999Z')).toBe('2026-01-05T23:59:59+05:30');
    expect(crmBTime('2026-01-05T18:30:00.000Z')).toBe('2026-01-06T00:00:00+05:30');
    forAll([fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })], (start) => {
      const time = crmBTime(start.toISOString());
      expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+05:30$/);
      expect(Date.parse(time)).toBe(Math.floor(start.getTime() / 1000) * 1000);
    });
  });

  it('exists only for calls that connected', () => {
    expect(callLogOf(call)).toEqual({
      subject: `Call by Asha, ${call.call_id}`,
      start_time: '2026-01-05T10:30:00+05:30',
      duration: '00:01',
    });
    expect(callLogOf({ ...call, duration: 0 })).toBeUndefined();
    expect(callLogOf(aCall({ status: 'failed' }))).toBeUndefined();
  });
});

describe('a note on CRM-B’s lead', () => {
  it('has at most 32,000 characters and always the complete link', () => {
    forAll([anyLongText, anyLink], { numRuns: 300 }, (transcript, recordingLink) => {
      const note = noteOf(call, { transcript, recordingLink });
      if (!note) {
        expect([transcript.toWellFormed().trim(), recordingLink]).toEqual(['', undefined]);
        return;
      }
      expect(note.content.length).toBeLessThanOrEqual(32_000);
      expect(note.content.isWellFormed()).toBe(true);
      if (recordingLink) expect(note.content.endsWith(recordingLink)).toBe(true);
    });
  });

  it('contains the complete transcript if it fits, otherwise a mark at the cut', () => {
    forAll([anyLongText, anyLink], { numRuns: 300 }, (transcript, recordingLink) => {
      const said = transcript.toWellFormed().trim().replaceAll('<', '‹').replaceAll('>', '›');
      const content = noteOf(call, { transcript, recordingLink })?.content ?? '';
      if (content.startsWith(said)) return;
      expect(content).toContain('[The transcript is too long for a note and is cut here.]');
      const kept = content.slice(0, content.indexOf('\n[The transcript is too long'));
      expect(said.startsWith(kept)).toBe(true);
      // One short of the limit if another character would need two UTF-16 units.
      expect(content.length).toBeGreaterThanOrEqual(31_999);
    });
  });

  it('contains no markup from the transcript', () => {
    const transcript = 'User: <img src=x onerror=alert(1)><a href="//evil.example">pay</a>';
    expect(noteOf(call, { transcript })?.content).not.toMatch(/[<>]/);
  });

  it('uses the limit completely', () => {
    expect(noteOf(call, { transcript: 'a'.repeat(32_000) })?.content).toBe('a'.repeat(32_000));
    expect(noteOf(call, { transcript: 'a'.repeat(32_001) })?.content).toHaveLength(32_000);
  });

  it('contains only the link without a transcript, and does not exist if both are missing', () => {
    expect(noteOf(call, { recordingLink: 'https://x.example/r' })?.content).toBe(
      'Recording (this link works for 30 days): https://x.example/r',
    );
    expect(noteOf(call, { transcript: ' \n ' })).toBeUndefined();
    expect(noteOf(call, {})).toBeUndefined();
  });

  it('may exist only with a transcript or a stored recording', () => {
    expect(mayHaveNote({})).toBe(false);
    expect(mayHaveNote({ recording: { state: 'failed' } })).toBe(false);
    expect(mayHaveNote({ recording: { state: 'stored' } })).toBe(true);
    expect(mayHaveNote({ transcript_key: 'k' })).toBe(true);
  });
});

it('the titles of note and call log end with the call’s id and fit the CRM’s limits, for any assistant name', () => {
  forAll([anyText({ maxLength: 300 })], (assistant_name) => {
    const title = noteOf({ ...call, assistant_name }, { transcript: 'x' })?.title ?? '';
    const subject = callLogOf({ ...call, assistant_name })?.subject ?? '';
    for (const each of [title, subject]) {
      expect(each.endsWith(call.call_id)).toBe(true);
      expect(each.length).toBeLessThanOrEqual(120);
      expect(each.isWellFormed()).toBe(true);
    }
  });
});
