import { aHouse, aMember, HOUR, LOW, lowOrg, toAdmins } from '../../support/notices.ts';
import { anOrg } from '../../support/worlds/items.ts';
import { worldThatDies } from '../../support/worlds/world-that-dies.ts';

describe('several workers at once', () => {
  it('notify each person once', async () => {
    const house = aHouse();
    await Promise.all([house.run(), house.run(), house.run()]);
    expect(house.mailbox()).toEqual(toAdmins(LOW));
  });
});

describe('a worker that dies', () => {
  it('loses no e-mail at any line, and repeats at most the one that it was sending', async () => {
    const begin = async () => {
      const house = aHouse();
      return Object.assign(house, { dying: house.world.dying });
    };
    let repeats = 0;
    for await (const [house, cut] of worldThatDies(begin, ({ run }) => run(), 5)) {
      await house.runFor(2 * HOUR);
      const got = house.mailbox();
      expect([cut, [...new Set(got)].sort()]).toEqual([cut, toAdmins(LOW)]);
      expect(got.length).toBeLessThanOrEqual(3);
      repeats += got.length - 2;
    }
    expect(repeats).toBeGreaterThan(0);
  });

  it('is not followed by another worker before its lease ends', async () => {
    const house = aHouse();
    house.beforeSend = async () => {
      house.beforeSend = async () => {};
      await house.run();
    };
    await house.run();
    expect(house.mailbox()).toEqual(toAdmins(LOW));
  });
});

describe('a thousand organizations', () => {
  const many = (count: number) => Array.from({ length: count }, (_, n) => anOrg({ org_id: `org${1000 + n}` }));

  it('are checked in one run, with one query of the connections of each and without a scan', async () => {
    const { world, run } = aHouse({ orgs: many(1_000), members: [] });
    expect(await run()).toMatchObject({ looked_at: 1_000, complete: true });
    expect(world.requests.filter((request) => request.startsWith('Query connections'))).toHaveLength(1_000);
    expect(world.requests.filter((request) => /Put|Update|Scan|Get members/.test(request))).toEqual([]);
  });

  it('are all notified, in several runs if time runs out', async () => {
    let left = 100_000;
    const orgs = many(120).map((org) => lowOrg({ org_id: org.org_id }));
    const members = orgs.map(({ org_id }) =>
      aMember('owner', { user_id: org_id, org_id, email: `${org_id}@x.example` }),
    );
    const house = aHouse({ orgs, members, timeLeftMs: () => left });
    house.beforeSend = async () => {
      left -= 1_000;
    };
    const looked: number[] = [];
    for (let complete = false; !complete; ) {
      left = 100_000;
      const report = await house.run();
      looked.push(report.looked_at);
      complete = report.complete;
      house.world.pass(900);
    }
    expect(looked.length).toBeGreaterThan(2);
    expect(house.mailbox().toSorted()).toEqual(members.map(({ email }) => `${email}: ${LOW}`).toSorted());
  });

  it('are notified even if one of them, or its data, cannot be read', async () => {
    const unreadable = lowOrg({ org_id: 'org00', rate: 'unreadable' as never });
    const house = aHouse({ orgs: [lowOrg({ org_id: 'org0' }), unreadable, lowOrg()] });
    house.world.hooks.before = (_, input) => {
      if (JSON.stringify(input).includes('org0"') && input.TableName === 'connections') throw new Error('down');
    };
    expect(await house.run()).toMatchObject({ looked_at: 1, failed: 2 });
    expect(house.world.counted).toEqual(['NoticeNotSent', 'NoticeNotSent']);
    expect(house.mailbox()).toEqual(toAdmins(LOW));
  });
});
