import { analysisAtEnd, extractedFields } from '../../../../shared/domain/calls/analysis.ts';
import { callStatuses, isTerminal, type TerminalStatus } from '../../../../shared/domain/calls/call-status.ts';
import { aResult } from '../../support/call.ts';

const ends = callStatuses.filter((status): status is TerminalStatus => isTerminal(status));

describe('the initial analysis state of an ended call', () => {
  it.each(ends)('has the state none for a call that never connected: %s', (status) => {
    const none = { state: 'none', error: 'nobody answered' };
    for (const hasTranscript of [true, false])
      expect(analysisAtEnd({ status, duration: 0 }, hasTranscript)).toEqual(none);
  });

  it.each(['completed', 'transferred', 'failed', 'canceled'] as const)(
    'is pending for a call that connected and has a transcript: %s',
    (status) => {
      expect(analysisAtEnd({ status, duration: 1 }, true)).toEqual({ state: 'pending' });
      expect(analysisAtEnd({ status, duration: 1 }, false)).toEqual({ state: 'none', error: 'there is no transcript' });
    },
  );

  it('has the state none for a voicemail, with any transcript', () => {
    expect(analysisAtEnd({ status: 'no_answer', duration: 30 }, true).state).toBe('none');
  });
});

describe('the extracted fields', () => {
  const result = aResult({ lead_intent: 'complaint', issue_summary: 'The box leaks.' });
  const always = { lead_intent: 'complaint', issue_summary: 'The box leaks.' };

  it('are the fields of the assistant’s schema, plus the intent and the concern of every call', () => {
    expect(extractedFields(result)).toEqual(always);
    expect(extractedFields({ ...result, structured_data: { budget: 5 } })).toEqual({ ...always, budget: 5 });
  });

  it('take the value of the schema’s own field if it has the name of one of these', () => {
    const structured_data = { lead_intent: 'refund' };
    expect(extractedFields({ ...result, structured_data })).toEqual({ ...always, lead_intent: 'refund' });
  });
});
