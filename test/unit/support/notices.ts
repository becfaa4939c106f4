import type { Connection } from '../../../shared/domain/connections/connection.ts';
import type { Mail } from '../../../shared/domain/notices/notice-mail.ts';
import type { Member, Role } from '../../../shared/domain/organizations/members/member.ts';
import type { Organization } from '../../../shared/domain/organizations/organization.ts';
import type { Mailer, MailOutcome } from '../../../shared/integrations/mail/ses.ts';
import { type NoticeReport, sendNotices } from '../../../shared/operations/notices/send-notices.ts';
import { anOrg, ORG } from './worlds/items.ts';
import { aWorld, START } from './worlds/world.ts';

export const DASHBOARD = 'https://app.example';
export const HOUR = 3_600;

export const aMember = (role: Role, more: Partial<Member> = {}): Member => ({
  user_id: `user-${role}`,
  org_id: ORG,
  email: `${role}@example.com`,
  name: role,
  role,
  created_at: START,
  ...more,
});

export const team = (['owner', 'admin', 'member', 'viewer'] as const).map((role) => aMember(role));
export const lowOrg = (more: Partial<Organization> = {}) => anOrg({ available: 42_000, warn_below: 100_000, ...more });
export const watched = (org: Organization) => ({ ...org, watched: 'by-notices' });

export const refusal = (isForAll: boolean): MailOutcome => ({ kind: 'refused', reason: 'MessageRejected', isForAll });

export type Sent = { to: string; mail: Mail };

/** Organizations with their people, a mailer that stores sent e-mails, and the runs of the worker. */
export function aHouse({
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

export const toAdmins = (subject: string) => [`admin@example.com: ${subject}`, `owner@example.com: ${subject}`];
export const LOW = 'Low credit: 42 credits left';
