import { describe, expect, it } from '@jest/globals';
import { advisoriesOutcome, signaturesOutcome } from '../../scripts/audit/outcomes.ts';

describe('the audit of signatures', () => {
  it('passes if all signatures are verified', () => {
    const output = 'audited 500 packages in 9s\n\n500 packages have verified registry signatures\n';
    expect(signaturesOutcome({ code: 0, output })).toEqual({
      kind: 'ok',
      sentence: '500 packages have verified registry signatures',
    });
  });

  it.each(['1 package has an invalid registry signature:', '2 packages have missing registry signatures:'])(
    'fails with %j',
    (sentence) => {
      const output = `499 packages have verified registry signatures\n\n${sentence}\n`;
      expect(signaturesOutcome({ code: 1, output })).toEqual({ kind: 'failed', sentence });
    },
  );

  it.each([
    ['npm error code ENOTFOUND\nnpm error network', 'ENOTFOUND'],
    ['npm error found no dependencies to audit', 'found no dependencies to audit'],
    ['', 'no answer in time'],
  ])('is skipped, with the reason, if the registry offers no signatures: %j', (output, reason) => {
    expect(signaturesOutcome({ code: 1, output })).toEqual({
      kind: 'skipped',
      sentence: `the registry offers no signatures (${reason})`,
    });
  });

  it('never passes without a verified package', () => {
    expect(signaturesOutcome({ code: 0, output: '' }).kind).toBe('skipped');
  });
});

describe('the audit of known vulnerabilities', () => {
  const report = (vulnerabilities: Record<string, number>) => JSON.stringify({ metadata: { vulnerabilities } });

  it("passes without vulnerabilities, or with those below npm's threshold", () => {
    expect(advisoriesOutcome({ code: 0, output: report({ high: 0, total: 0 }) })).toEqual({
      kind: 'ok',
      sentence: 'no known vulnerabilities',
    });
    expect(advisoriesOutcome({ code: 0, output: report({ low: 2, total: 2 }) })).toEqual({
      kind: 'ok',
      sentence: '2 low',
    });
  });

  it('fails if npm fails', () => {
    const output = `npm warn something\n${report({ low: 1, high: 3, total: 4 })}`;
    expect(advisoriesOutcome({ code: 1, output })).toEqual({ kind: 'failed', sentence: '1 low, 3 high' });
  });

  it('is skipped, with the reason, if the registry offers no audit', () => {
    const output = 'npm warn audit 405 Method Not Allowed\n{"error": {"summary": ""}}';
    expect(advisoriesOutcome({ code: 1, output })).toEqual({
      kind: 'skipped',
      sentence: 'the registry offers no advisories (405 Method Not Allowed)',
    });
  });
});
