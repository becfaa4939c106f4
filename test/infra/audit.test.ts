import { advisoriesOutcome, signaturesOutcome } from '../../scripts/audit/outcomes.ts';

describe('the audit of signatures', () => {
  const verified = '500 packages have verified registry signatures';
  const unavailable = (reason: string) => `the registry offers no signatures (${reason})`;

  it.each([
    ['ok', 0, `audited 500 packages in 9s\n\n${verified}\n`, verified],
    ['failed', 1, `${verified}\n\n1 package has an invalid registry signature:\n`, /^1 package has an invalid/],
    ['failed', 1, `${verified}\n\n2 packages have missing registry signatures:\n`, /^2 packages have missing/],
    ['skipped', 1, 'npm error code ENOTFOUND\nnpm error network', unavailable('ENOTFOUND')],
    ['skipped', 1, 'npm error found no dependencies to audit', unavailable('found no dependencies to audit')],
    ['skipped', 1, '', unavailable('no answer in time')],
    ['skipped, without a verified package,', 0, '', /./],
  ])('is %s if npm ends with %i and prints %j', (outcome, code, output, sentence) => {
    const [kind] = outcome.split(',');
    const expected = typeof sentence === 'string' ? sentence : expect.stringMatching(sentence);
    expect(signaturesOutcome({ code, output })).toEqual({ kind, sentence: expected });
  });
});

describe('the audit of known vulnerabilities', () => {
  const report = (vulnerabilities: Record<string, number>) => JSON.stringify({ metadata: { vulnerabilities } });
  const unavailable = 'npm warn audit 405 Method Not Allowed\n{"error": {"summary": ""}}';

  it.each([
    ['ok', 'without vulnerabilities', 0, report({ high: 0, total: 0 }), 'no known vulnerabilities'],
    ['ok', "below npm's threshold", 0, report({ low: 2, total: 2 }), '2 low'],
    ['failed', 'if npm fails', 1, `npm warn x\n${report({ low: 1, high: 3, total: 4 })}`, '1 low, 3 high'],
    ['skipped', 'without an audit', 1, unavailable, 'the registry offers no advisories (405 Method Not Allowed)'],
  ])('is %s %s', (kind, _when, code, output, sentence) => {
    expect(advisoriesOutcome({ code, output })).toEqual({ kind, sentence });
  });
});
