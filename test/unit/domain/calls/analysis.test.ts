import { describe, expect, it } from '@jest/globals';
import { type AnalysisResult, analysisAtEnd, extractedFields } from '../../../../shared/domain/calls/analysis.ts';
import { callStatuses, isTerminal, type TerminalStatus } from '../../../../shared/domain/calls/call-status.ts';

const ends = callStatuses.filter((status): status is TerminalStatus => isTerminal(status));

describe('the analysis of a call that ends', () => {
  it.each(ends)('is none of a call that was never connected: %s', (status) => {
    for (const hasTranscript of [true, false])
      expect(analysisAtEnd({ status, duration: 0 }, hasTranscript)).toEqual({
        state: 'none',
        error: 'nobody answered',
      });
  });

  it.each(['completed', 'transferred', 'failed', 'canceled'] as const)(
    'is pending where a person was on the line and said something: %s',
    (status) => {
      expect(analysisAtEnd({ status, duration: 1 }, true)).toEqual({ state: 'pending' });
      expect(analysisAtEnd({ status, duration: 1 }, false)).toEqual({ state: 'none', error: 'there is no transcript' });
    },
  );

  it('is none of a voicemail, whatever it said', () => {
    expect(analysisAtEnd({ status: 'no_answer', duration: 30 }, true).state).toBe('none');
  });
});

describe('the extracted fields', () => {
  const result: AnalysisResult = {
    summary: 'The box leaks.',
    success_eval: 'success',
    sentiment: 'negative',
    structured_data: {},
    lead_intent: 'complaint',
    issue_summary: 'The box leaks.',
    do_not_call: false,
  };
  const always = { lead_intent: 'complaint', issue_summary: 'The box leaks.' };

  it('are what the assistant’s schema names, and intent and concern of every call', () => {
    expect(extractedFields(result)).toEqual(always);
    expect(extractedFields({ ...result, structured_data: { budget: 5 } })).toEqual({ ...always, budget: 5 });
  });

  it('are the schema’s own where it names one of these itself', () => {
    expect(extractedFields({ ...result, structured_data: { lead_intent: 'refund' } })).toEqual({
      ...always,
      lead_intent: 'refund',
    });
  });
});
