import { aHouse, aMember, HOUR, LOW, lowOrg, refusal, toAdmins } from '../../support/notices.ts';
import { START } from '../../support/worlds/world.ts';

describe('a refusal of SES', () => {
  it('of one address does not stop the others; it is retried with growing waits, then given up', async () => {
    const house = aHouse();
    const tries: string[] = [];
    house.answer = (to) => {
      if (to !== 'admin@example.com') return { kind: 'sent' };
      tries.push(house.world.now);
      return refusal(false);
    };
    expect(await house.run()).toMatchObject({ mail: 'on', mails: 1, refused: 1 });
    expect(house.mailbox()).toEqual([`owner@example.com: ${LOW}`]);
    await house.runFor(72 * HOUR);
    const minutes = tries.map((at) => (Date.parse(at) - Date.parse(START)) / 60_000);
    expect(minutes).toEqual([0, 15, 45, 90, 180, 345]);
    expect([house.mailbox(), house.world.counted]).toEqual([[], ['NoticeNotSent']]);
    expect(JSON.stringify(house.world.logged)).not.toContain('@');
    // The owner was notified of it, so both get the all-clear.
    house.answer = () => ({ kind: 'sent' });
    house.setCredit(500_000);
    await house.runFor(HOUR);
    expect(house.mailbox()).toEqual(toAdmins('Enough credit again: 500 credits'));
  });

  it('of all e-mails ends the run with one request, raises the alarm, and loses no e-mail in a day', async () => {
    const orgs = Array.from({ length: 8 }, (_, n) => lowOrg({ org_id: `org${n}` }));
    const members = orgs.map(({ org_id }) =>
      aMember('owner', { user_id: org_id, org_id, email: `${org_id}@x.example` }),
    );
    const house = aHouse({ orgs, members });
    let requests = 0;
    house.answer = () => {
      requests += 1;
      return refusal(true);
    };
    expect(await house.run()).toMatchObject({ mail: 'refused', mails: 0, looked_at: 8, complete: true });
    expect([requests, house.world.counted]).toEqual([1, ['NoticeNotSent']]);
    await house.runFor(24 * HOUR);
    expect(requests).toBe(1 + 24 * 4);
    house.answer = () => ({ kind: 'sent' });
    await house.runFor(HOUR);
    expect(new Set(house.mailbox()).size).toBe(8);
  });

  it('of every address counts as a general refusal after five', async () => {
    const members = Array.from({ length: 9 }, (_, n) =>
      aMember('owner', { user_id: `u${n}`, email: `u${n}@x.example` }),
    );
    const house = aHouse({ members, answer: () => refusal(false) });
    expect(await house.run()).toMatchObject({ mail: 'refused', refused: 5 });
  });

  it('that lasts until the problem has ended prevents the all-clear, too', async () => {
    const house = aHouse({ answer: () => refusal(true) });
    await house.run();
    house.answer = () => ({ kind: 'sent' });
    house.setCredit(500_000);
    await house.runFor(24 * HOUR);
    expect(house.mailbox()).toEqual([]);
  });
});
