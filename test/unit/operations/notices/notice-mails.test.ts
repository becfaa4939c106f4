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
      expect.stringContaining('leads are not called'),
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
});
