import { describe, expect, it } from '@jest/globals';
import { analysisAtEnd } from '../../../shared/domain/analysis.ts';
import { callStatuses, isTerminal, type TerminalStatus } from '../../../shared/domain/call-status.ts';

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
