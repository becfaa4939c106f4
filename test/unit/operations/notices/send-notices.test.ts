import {
  BadRequestException,
  MessageRejected,
  type SESv2Client,
  TooManyRequestsException,
} from '@aws-sdk/client-sesv2';
import fc from 'fast-check';
import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import type { Mail } from '../../../../shared/domain/notices/notice-mail.ts';
import type { Member, Role } from '../../../../shared/domain/organizations/members/member.ts';
import type { Organization } from '../../../../shared/domain/organizations/organization.ts';
import { type Mailer, type MailOutcome, sesMailer } from '../../../../shared/integrations/mail/ses.ts';
import { type NoticeReport, sendNotices } from '../../../../shared/operations/notices/send-notices.ts';
import { aConnection, aGrant, anOrg, ORG } from '../../support/worlds/items.ts';
import { aWorld, START } from '../../support/worlds/world.ts';
import { worldThatDies } from '../../support/worlds/world-that-dies.ts';

const DASHBOARD = 'https://app.example';
const HOUR = 3_600;

const aMember = (role: Role, more: Partial<Member> = {}): Member => ({
  user_id: `user-${role}`,
  org_id: ORG,
  email: `${role}@example.com`,
  name: role,
  role,
  created_at: START,
  ...more,
});

const team = (['owner', 'admin', 'member', 'viewer'] as const).map((role) => aMember(role));
const lowOrg = (more: Partial<Organization> = {}) => anOrg({ available: 42_000, warn_below: 100_000, ...more });
const watched = (org: Organization) => ({ ...org, watched: 'by-notices' });

const refusal = (isForAll: boolean): MailOutcome => ({ kind: 'refused', reason: 'MessageRejected', isForAll });

type Sent = { to: string; mail: Mail };

/** Organizations with their people, a mailer that stores sent e-mails, and the runs of the worker. */
function aHouse({
  orgs = [lowOrg()],
  members = team,
  connections = [] as Connection[],
  answer = (_to: string): MailOutcome => ({ kind: 'sent' }),
  timeLeftMs = (): number => 600_000,
} = {}) {
  const world = aWorld({ organizations: orgs.map(watched), members, connections });
  const sent: Sent[] = [];
  const house = { answer, beforeSend: async (_to: string) => {}, hasSender: true };
  const mailer: Mailer = world.outside({
    send: async (to: string, mail: Mail) => {
      await house.beforeSend(to);
      const outcome = house.answer(to);
      if (outcome.kind === 'sent') sent.push({ to, mail });
      return outcome;
    },
  });
  const deps = { ...world.common, dashboardUrl: DASHBOARD, timeLeftMs };
  const run = (): Promise<NoticeReport> => sendNotices({ ...deps, mailer: house.hasSender ? mailer : undefined });
  return Object.assign(house, {
    world,
    /** Removes and returns the sent e-mails: address and subject, without the name of the organization. */
    mailbox: () => sent.splice(0).map(({ to, mail }) => `${to}: ${mail.subject.replace(/ \(.*/, '')}`),
    sent,
    run,
    /** Runs once every 15 minutes for this time. */
    async runFor(seconds: number) {
      for (let passed = 0; passed < seconds; passed += 900) {
        world.pass(900);
        await run();
      }
    },
    setCredit: (available: number, org_id = ORG) => {
      const org = world.find('organizations', { org_id }) as unknown as Organization;
      world.put('organizations', { ...org, available });
    },
    setConnection: (connection: Connection) => world.put('connections', connection),
  });
}

const toAdmins = (subject: string) => [`admin@example.com: ${subject}`, `owner@example.com: ${subject}`];
const LOW = 'Low credit: 42 credits left';

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
    // From now on, a person is to receive it.
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

  it('of one organization get no e-mail about another', async () => {
    const other = aMember('admin', { user_id: 'other', org_id: 'org2', email: 'other@example.com' });
    const house = aHouse({ orgs: [lowOrg(), anOrg({ org_id: 'org2' })], members: [...team, other] });
    await house.run();
    expect(house.mailbox()).toEqual(toAdmins(LOW));
  });
});

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

  it('is sent by SES as text and HTML, and the reason of a refusal contains no address', async () => {
    const requests: object[] = [];
    const failing = (error?: Error) =>
      sesMailer(
        {
          send: async ({ input }: { input: object }) => {
            requests.push(input);
            if (error) throw error;
          },
        } as unknown as SESv2Client,
        'notices@example.com',
      ).send('a@example.com', { subject: 's', text: 't', html: '<p>t</p>' });
    const because = (message: string) => ({ message, $metadata: {} });
    expect(await failing()).toEqual({ kind: 'sent' });
    expect(requests[0]).toMatchObject({
      FromEmailAddress: 'notices@example.com',
      Destination: { ToAddresses: ['a@example.com'] },
      Content: { Simple: { Subject: { Data: 's' }, Body: { Text: { Data: 't' }, Html: { Data: '<p>t</p>' } } } },
    });
    const answers = [
      new BadRequestException(because('a@example.com')),
      new MessageRejected(because('not verified: a@example.com')),
      new MessageRejected(because('not verified: notices@example.com')),
      new TooManyRequestsException(because('x')),
      new Error('a@example.com'),
    ];
    expect(await Promise.all(answers.map(failing))).toEqual([
      { kind: 'refused', reason: 'BadRequestException', isForAll: false },
      { kind: 'refused', reason: 'MessageRejected', isForAll: false },
      { kind: 'refused', reason: 'MessageRejected', isForAll: true },
      { kind: 'refused', reason: 'TooManyRequestsException', isForAll: true },
      { kind: 'refused', reason: 'Error', isForAll: true },
    ]);
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

describe('two workers at once', () => {
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

  it('until the problem has ended prevents the all-clear, too', async () => {
    const house = aHouse({ answer: () => refusal(true) });
    await house.run();
    house.answer = () => ({ kind: 'sent' });
    house.setCredit(500_000);
    await house.runFor(24 * HOUR);
    expect(house.mailbox()).toEqual([]);
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

describe('a thousand organizations', () => {
  const many = (count: number) => Array.from({ length: count }, (_, n) => anOrg({ org_id: `org${1000 + n}` }));

  it('are checked in one run, without a scan and with three reads for each', async () => {
    const { world, run } = aHouse({ orgs: many(1_000), members: [] });
    expect(await run()).toMatchObject({ looked_at: 1_000, complete: true });
    expect(world.requests.filter((request) => request.startsWith('Query connections'))).toHaveLength(1_000);
    expect(world.requests.filter((request) => /Put|Update|Scan|Get members/.test(request))).toEqual([]);
  });

  it('come first in the next run if time ran out, and none is left out', async () => {
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
