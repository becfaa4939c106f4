import type { BrokenStatus } from '../../../../shared/domain/connections/connection-health.ts';
import { mailOf } from '../../../../shared/domain/notices/notice-mail.ts';
import type { SubjectState } from '../../../../shared/domain/notices/notice-subject.ts';
import { aHouse, DASHBOARD, LOW, lowOrg, type Sent } from '../../support/notices.ts';

describe('an e-mail', () => {
  it('explains the problem in plain words, with a link to the page and without markup', async () => {
    const name = 'Acme <b>&\r\nBcc: x@example.com';
    const house = aHouse({ orgs: [lowOrg({ name })] });
    await house.run();
    const { mail } = house.sent[0] as Sent;
    expect(mail.subject).toBe(`${LOW} (Acme <b>& Bcc: x@example.com)`);
    expect(mail.text.split('\n\n')).toEqual([
      '42 credits are left. You are warned below 100 credits.',
      'When the credit does not cover a call, leads are not called and requests to place calls are refused.',
      `See the credit: ${DASHBOARD}/credit`,
      expect.stringMatching(/you are an admin of Acme .*: https:\/\/app\.example\/settings\/notifications$/),
    ]);
    expect(mail.html).toContain('Acme &lt;b&gt;&amp; Bcc');
    expect(mail.html).toContain(`<a href="${DASHBOARD}/credit">`);
  });

  it.each([
    [1_000, '1 credit is left. You are warned below 100 credits.'],
    [1_500, '1.5 credits are left. You are warned below 100 credits.'],
    [0, '0 credits are left. You are warned below 100 credits.'],
  ])('says how much credit is left, in the singular for one credit: %i units', async (available, sentence) => {
    const house = aHouse({ orgs: [lowOrg({ available })] });
    await house.run();
    expect(house.sent[0]?.mail.text.split('\n\n')[0]).toBe(sentence);
  });

  /** The e-mail about an organization with 500 credits, or about its CRM-B, without why the person gets it. */
  const wordsOf = (about: 'trouble' | 'recovery', connection?: SubjectState['connection']) => {
    const seen = { org_id: 'org', subject: 'x', is: 'trouble', isUrgent: false } as const;
    const state: SubjectState = { kind: 'low_credit', seen, ...(connection && { connection }) };
    const org = lowOrg({ name: 'Acme', available: 500_000 });
    const { subject, text } = mailOf(about, state, org, { role: 'owner', dashboardUrl: DASHBOARD });
    return [subject, ...text.split('\n\n').slice(0, -1)];
  };
  const crmB = { connection_id: 'conn_1', type: 'crm-b' } as const;

  it.each<[BrokenStatus, subject: string, sentence: string, action: string]>([
    [
      'needs_reconnect',
      'needs a new consent',
      'its consent has ended, so it delivers no leads and accepts no entries.',
      'Reconnect',
    ],
    [
      'unhealthy',
      'does not work as it should',
      'it does not work as it should. Until it does, leads may be late and tickets may be missing.',
      'Open the connection',
    ],
    ['silent', 'delivers no leads', 'it delivers no leads, although leads were expected.', 'Open the connection'],
    ['rejecting', 'sends deliveries that are refused', 'its last delivery was refused.', 'Open the connection'],
  ])('names what is wrong with a connection: %s', (status, subject, sentence, action) => {
    expect(wordsOf('trouble', { ...crmB, status })).toEqual([
      `CRM-B ${subject} (Acme)`,
      `CRM-B: ${sentence}`,
      'The page of the connection says why, and what to do next. You get one more e-mail when it works again.',
      `${action}: https://app.example/connections/conn_1`,
    ]);
  });

  it('says that a problem has ended', () => {
    expect(wordsOf('recovery', crmB)).toEqual([
      'CRM-B works again (Acme)',
      'CRM-B works again. No action is needed.',
      'See the connection: https://app.example/connections/conn_1',
    ]);
    expect(wordsOf('recovery')).toEqual([
      'Enough credit again: 500 credits (Acme)',
      '500 credits are left, which is enough. ' +
        'Leads that were stopped for lack of credit can be retried on the page Leads.',
      'See the credit: https://app.example/credit',
    ]);
  });
});
