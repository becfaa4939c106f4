import { readFileSync } from 'node:fs';
import { assessCertificate } from '../../../../bin/admin/commands/doctor/certificates.ts';
import { assessClock } from '../../../../bin/admin/commands/doctor/clock.ts';
import { assessConcurrency, neededConcurrency } from '../../../../bin/admin/commands/doctor/concurrency.ts';
import { assessModel } from '../../../../bin/admin/commands/doctor/model.ts';
import { CERTIFICATE, MODEL } from '../../support/doctor.ts';

describe('the assessment of', () => {
  const aws = (command: string) => command;

  it('the clock becomes worse with the difference', () => {
    expect([0.4, -3, 6, -299, 301].map((seconds) => assessClock(seconds).status)).toEqual([
      ...['ok', 'ok', 'warning', 'warning', 'failed'],
    ]);
    expect(assessClock(-60).message).toMatch(/60 s behind/);
  });

  it('the concurrency is what the next deployment leaves, whatever the stage has reserved so far', () => {
    const none = neededConcurrency({});
    expect(none.reserved).toBe(0);
    expect(none.workers).toBeGreaterThan(90);
    const needed = neededConcurrency({ costlyAtOnce: 50 });
    expect(needed.reserved).toBe(200);
    const status = (limit: number, unreserved: number, own: number) =>
      assessConcurrency({ limit, unreserved, own }, needed, aws).status;
    expect(status(1000, 1000, 0)).toBe('ok');
    expect(status(400, 400, 0)).toBe('warning');
    expect(status(400, 200, 200)).toBe('warning');
    expect(status(600, 400, 200)).toBe('ok');
    expect(status(250, 250, 0)).toBe('failed');
    expect(status(250, 242, 8)).toBe('failed');
    expect(assessConcurrency({ limit: 250, unreserved: 50, own: 200 }, none, aws).status).toBe('ok');
  });

  it('the concurrency of a new account fails, and docs/deploy.md states its words and the numbers', () => {
    const documented = readFileSync(new URL('../../../../docs/deploy.md', import.meta.url), 'utf8').replace(
      /[\s\\]+/g,
      ' ',
    );
    const needed = neededConcurrency({});
    const { status, message, fix } = assessConcurrency({ limit: 10, unreserved: 10, own: 0 }, needed, aws);
    const stated = [
      `${message} aws ${fix} --region`,
      `run ${needed.workers + 100} functions at once`,
      `From ${needed.workers} to ${needed.workers + 99}, the check warns`,
    ];
    expect([status, stated.filter((words) => !documented.includes(words))]).toEqual(['failed', []]);
  });

  it('the concurrency names the highest valid costlyAtOnce if none is set', () => {
    const { workers, ...none } = neededConcurrency({});
    const message = (spare: number, needed = { ...none, workers }) =>
      assessConcurrency({ limit: 1000, unreserved: workers + 100 + spare, own: needed.reserved }, needed, aws).message;
    expect(message(4 * 25 + 3)).toMatch(/costlyAtOnce is not set: 25 fits/);
    expect(message(4 * 500)).toMatch(/costlyAtOnce is not set: 60 fits/);
    for (const told of [message(3), message(400, neededConcurrency({ costlyAtOnce: 50 }))])
      expect(told).not.toContain('costlyAtOnce');
  });

  it('a model knows that some models are offered only through an inference profile', () => {
    const of = { isProfile: false, fix: 'x' };
    expect(assessModel({ modelId: MODEL, inferenceTypesSupported: ['PROVISIONED'] }, of)).toMatchObject([
      { status: 'failed' },
    ]);
    expect(assessModel({ modelId: MODEL, inferenceTypesSupported: ['ON_DEMAND'] }, of)).toEqual([]);
  });

  it.each([
    ['is in order', {}, []],
    ['is issued for a wildcard', { DomainName: '*.example.com' }, []],
    ['is for another name', { DomainName: 'other.example.com' }, ['failed']],
    ['ends soon', { NotAfter: new Date('2026-01-20') }, ['warning']],
    ['has expired', { Status: 'EXPIRED' as const }, ['failed']],
  ])('a certificate that %s', (_, over, expected) => {
    const detail = {
      CertificateArn: CERTIFICATE,
      Status: 'ISSUED' as const,
      NotAfter: new Date('2026-12-01'),
      ...over,
    };
    const findings = assessCertificate('calls.example.com', detail, new Date('2026-01-01'));
    expect(findings.map(({ status }) => status)).toEqual(expected);
  });
});
