import { readExceptions } from '../../scripts/audit/exceptions.ts';
import { advisoriesOutcome, signaturesOutcome } from '../../scripts/audit/outcomes.ts';
import { read } from './support/sources.ts';

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

describe('an exception of the audit', () => {
  const [advisory, other] = ['GHSA-aaaa-bbbb-cccc', 'GHSA-dddd-eeee-ffff'];
  const reason = 'the package runs only in tests';
  const exceptions = (...list: object[]) => JSON.stringify(list);
  const today = '2026-11-27';
  const accepted = readExceptions(exceptions({ advisory, until: today, reason }), today);
  const report = (...found: [id: string, severity: string][]) =>
    JSON.stringify({
      metadata: { vulnerabilities: { high: found.length, total: found.length } },
      vulnerabilities: Object.fromEntries(
        found.map(([id, severity], index) => [
          `package-${index}`,
          { severity, via: [{ url: `https://github.com/advisories/${id}`, severity }, 'package-of-another-advisory'] },
        ]),
      ),
    });

  it('accepts one advisory, and says so in the log', () => {
    expect(advisoriesOutcome({ code: 1, output: report([advisory, 'high']) }, accepted)).toEqual({
      kind: 'accepted',
      sentence: `1 high; accepted ${advisory} until ${today}: ${reason}`,
    });
  });

  it.each([
    ['another advisory', report([advisory, 'high'], [other, 'critical'])],
    ['a failure without an advisory', JSON.stringify({ metadata: { vulnerabilities: { high: 1, total: 1 } } })],
  ])('does not accept %s', (_what, output) => {
    expect(advisoriesOutcome({ code: 1, output }, accepted)).toMatchObject({ kind: 'failed' });
  });

  it('ignores advisories below the threshold of the audit', () => {
    const output = report([advisory, 'high'], [other, 'moderate']);
    expect(advisoriesOutcome({ code: 1, output }, accepted)).toMatchObject({ kind: 'accepted' });
  });

  it('accepts that the registry does not answer, but no bad signature', () => {
    const both = (['signatures', 'advisories'] as const).map((unavailable) => ({ unavailable, until: today, reason }));
    const known = readExceptions(exceptions(...both), today);
    const down = { code: 1, output: 'npm error code ETIMEDOUT' };
    for (const outcomeOf of [signaturesOutcome, advisoriesOutcome])
      expect(outcomeOf(down, known)).toMatchObject({ kind: 'accepted', sentence: expect.stringContaining(reason) });
    const bad = { code: 1, output: '1 package has an invalid registry signature:' };
    expect(signaturesOutcome(bad, known)).toMatchObject({ kind: 'failed' });
    expect(signaturesOutcome(down, accepted)).toMatchObject({ kind: 'skipped' });
  });

  it('ends after its last day', () => {
    const text = exceptions({ advisory, until: today, reason });
    expect([...readExceptions(text, '2026-11-27').keys()]).toEqual([advisory]);
    expect([...readExceptions(text, '2026-11-28').keys()]).toEqual([]);
  });

  it.each([
    ['without an end', { advisory, reason }],
    ['without a reason', { advisory, until: today }],
    ['of more than 30 days', { advisory, until: '2026-12-28', reason }],
    ['of every advisory', { advisory: 'GHSA-*', until: today, reason }],
  ])('%s is refused', (_what, exception) => {
    expect(() => readExceptions(exceptions(exception), today)).toThrow();
  });

  it('in the repository is well-formed', () => {
    expect(() => readExceptions(read('.github/audit-exceptions.json'), '2999-01-01')).not.toThrow();
  });
});
