import fc from 'fast-check';
import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import type { MailOutcome } from '../../../../shared/integrations/mail/ses.ts';
import { aHouse, aMember, HOUR, LOW, lowOrg, refusal, team, toAdmins, watched } from '../../support/notices.ts';
import { aConnection, aGrant, anOrg } from '../../support/worlds/items.ts';
import { START } from '../../support/worlds/world.ts';

describe('low credit', () => {
  it('is e-mailed once to admins and owners, however often the worker runs, and once when it ends', async () => {
    const house = aHouse();
    expect(await house.run()).toMatchObject({ mail: 'on', looked_at: 1, told: 1, mails: 2, complete: true });
    expect(house.mailbox()).toEqual(toAdmins(LOW));
    await house.runFor(24 * HOUR);
    expect(house.mailbox()).toEqual([]);
    house.setCredit(500_000);
    await house.runFor(24 * HOUR);
    expect(house.mailbox()).toEqual(toAdmins('Enough credit again: 500 credits'));
    house.setCredit(42_000);
    await house.runFor(HOUR);
    expect(house.mailbox()).toEqual(toAdmins(LOW));
  });

  it('that fluctuates with the holds of calls is one episode', async () => {
    const house = aHouse();
    for (let hour = 0; hour < 12; hour += 1) {
      house.setCredit(42_000);
      await house.runFor(900);
      house.setCredit(120_000);
      await house.runFor(1_800);
    }
    expect(house.mailbox()).toEqual(toAdmins(LOW));
  });

  it('is less than the price of a minute if no threshold is set', async () => {
    const { run, setCredit, sent } = aHouse({ orgs: [anOrg({ available: 1_000, rate: 1_000 })] });
    await run();
    expect(sent).toEqual([]);
    setCredit(999);
    await run();
    expect(sent.map(({ mail }) => mail.text)).toEqual(Array(2).fill(expect.stringContaining('No call can be placed.')));
  });

  it('of an organization that has never had an owner is not checked', async () => {
    const house = aHouse();
    house.world.put('organizations', lowOrg());
    expect(await house.run()).toMatchObject({ looked_at: 0, mails: 0 });
  });
});

describe('a broken connection', () => {
  const connected = aConnection({
    grant: aGrant(),
    channel: { id: '1', armed_at: START, expires_at: START },
  });
  const ended = { ...connected, reconnect_needed: { at: START, reason: 'invalid_code' } };
  const silent = { ...connected, silent_since: START };
  const aHouseWith = (connection: Connection) => aHouse({ orgs: [anOrg()], connections: [connection] });

  it('whose consent has ended is reported at once, and its recovery after half an hour', async () => {
    const house = aHouseWith(ended);
    await house.run();
    expect(house.mailbox()).toEqual(toAdmins('CRM-B needs a new consent'));
    house.setConnection(connected);
    await house.runFor(900);
    expect(house.mailbox()).toEqual([]);
    await house.runFor(2_700);
    expect(house.mailbox()).toEqual(toAdmins('CRM-B works again'));
  });

  it('that works again at the next run causes no e-mail', async () => {
    const house = aHouseWith(silent);
    await house.run();
    house.setConnection(connected);
    await house.runFor(900);
    house.setConnection(silent);
    await house.runFor(900);
    expect(house.mailbox()).toEqual([]);
    await house.runFor(900);
    expect(house.mailbox()).toEqual(toAdmins('CRM-B delivers no leads'));
  });

  it('that is disconnected does not count as recovered', async () => {
    const house = aHouseWith(ended);
    await house.run();
    house.mailbox();
    house.setConnection(aConnection());
    await house.runFor(24 * HOUR);
    expect(house.mailbox()).toEqual([]);
  });
});

describe('the recipients', () => {
  it('have a role that the organization has chosen for the kind', async () => {
    const notices = { low_credit: ['viewer' as const], broken_connection: [] };
    const connection = aConnection({ grant: aGrant(), reconnect_needed: { at: START, reason: 'x' } });
    const house = aHouse({ orgs: [lowOrg({ notices })], connections: [connection] });
    await house.run();
    expect(house.mailbox()).toEqual([`viewer@example.com: ${LOW}`]);
    // From now on, a person of the organization receives these e-mails.
    house.world.put('organizations', watched(lowOrg()));
    await house.run();
    expect(house.mailbox()).toEqual(toAdmins('CRM-B needs a new consent'));
  });

  it('are read consistently: removed or demoted people get no e-mail, even if an index still shows them', async () => {
    const house = aHouse({ members: [...team, aMember('owner', { user_id: 'zoe', email: 'zoe@example.com' })] });
    house.beforeSend = async (to) => {
      if (to !== 'admin@example.com') return;
      house.world.freezeIndexes();
      house.world.remove('members', { user_id: 'user-owner' });
      house.world.put('members', aMember('viewer', { user_id: 'zoe', email: 'zoe@example.com' }));
    };
    await house.run();
    expect(house.mailbox()).toEqual([`admin@example.com: ${LOW}`]);
    await house.runFor(HOUR);
    expect(house.mailbox()).toEqual([]);
  });

  it('do not include people who switched e-mails off, but others of their role', async () => {
    const quiet = aMember('owner', { user_id: 'quiet', email: 'quiet@example.com', has_no_emails: true });
    const house = aHouse({ members: [quiet] });
    await house.run();
    expect([house.mailbox(), house.world.all('notices')]).toEqual([[], []]);
    house.world.put('members', aMember('admin'));
    await house.run();
    expect(house.mailbox()).toEqual([`admin@example.com: ${LOW}`]);
  });

  it('get an e-mail about a problem, although the end of the former one had no recipient', async () => {
    const house = aHouse({ members: [aMember('owner')] });
    await house.run();
    expect(house.mailbox()).toEqual([`owner@example.com: ${LOW}`]);
    house.world.put('members', aMember('owner', { has_no_emails: true }));
    house.setCredit(500_000);
    await house.runFor(HOUR);
    house.world.put('members', aMember('admin'));
    house.setCredit(42_000);
    await house.runFor(HOUR);
    expect(house.mailbox()).toEqual([`admin@example.com: ${LOW}`]);
  });

  it('of one organization get no e-mail about another', async () => {
    const other = aMember('admin', { user_id: 'other', org_id: 'org2', email: 'other@example.com' });
    const house = aHouse({ orgs: [lowOrg(), anOrg({ org_id: 'org2' })], members: [...team, other] });
    await house.run();
    expect(house.mailbox()).toEqual(toAdmins(LOW));
  });
});

describe('without a sender', () => {
  it('no e-mail is sent, and a lasting problem is reported once a sender exists', async () => {
    const house = aHouse();
    house.hasSender = false;
    expect(await house.run()).toMatchObject({ mail: 'off', looked_at: 0 });
    expect(house.world.all('notices')).toEqual([]);
    house.hasSender = true;
    await house.run();
    expect(house.mailbox()).toEqual(toAdmins(LOW));
  });
});

describe('in any order of events', () => {
  const step = fc.record({
    available: fc.constantFrom(42_000, 99_999, 100_000, 500_000),
    ses: fc.constantFrom<MailOutcome[]>({ kind: 'sent' }, refusal(true), refusal(false)),
    // Less in total than the time after which a refused address is given up.
    runs: fc.integer({ min: 1, max: 4 }),
  });

  it('each person gets e-mails of a problem and of its end in turn, and the last one is true', async () => {
    const person = aMember('owner');
    // The problem returns before its all-clear could be sent.
    const backInTrouble = [
      { available: 42_000, ses: { kind: 'sent' as const }, runs: 1 },
      { available: 500_000, ses: refusal(true), runs: 3 },
      { available: 42_000, ses: { kind: 'sent' as const }, runs: 1 },
    ];
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 5 }), fc.boolean(), async (steps, isLow) => {
        const house = aHouse({ orgs: [lowOrg({ available: 500_000 })], members: [person] });
        const go = async (available: number, ses: MailOutcome, runs: number) => {
          house.setCredit(available);
          house.answer = () => ses;
          await house.runFor(runs * 900);
        };
        for (const { available, ses, runs } of steps) await go(available, ses, runs);
        await go(isLow ? 42_000 : 500_000, { kind: 'sent' }, 24);
        const heard = house.mailbox().map((subject) => /Low|Enough/.exec(subject)?.[0]);
        expect(heard).toEqual(heard.map((_, index) => (index % 2 === 0 ? 'Low' : 'Enough')));
        expect(heard.at(-1) ?? 'Enough').toBe(isLow ? 'Low' : 'Enough');
      }),
      { numRuns: 40, examples: [[backInTrouble, false]] },
    );
  });
});
