import type { Mailer, MailOutcome } from '../../../shared/integrations/mail/ses.ts';
import { sendNotices } from '../../../shared/operations/notices/send-notices.ts';
import { anOrg, ORG } from '../support/worlds/items.ts';
import { aWorld, START } from '../support/worlds/world.ts';
import type { Alarm } from './alarm.ts';

/** Runs send-notices for an organization with low credit, every 15 minutes for some seconds. */
const told = async (send: Mailer['send'], seconds = 0, org: object = {}) => {
  const world = aWorld({
    organizations: [{ ...anOrg({ available: 42_000, warn_below: 100_000 }), ...org, watched: 'by-notices' }],
    members: [{ user_id: 'u1', org_id: ORG, email: EMAIL, name: 'Asha', role: 'owner', created_at: START }],
  });
  const deps = { ...world.common, mailer: { send }, dashboardUrl: 'https://app.example', timeLeftMs: () => 600_000 };
  for (let passed = 0; passed <= seconds; passed += 900) {
    await sendNotices(deps);
    world.pass(900);
  }
  return world;
};
const sent = async (): Promise<MailOutcome> => ({ kind: 'sent' });
const mailRefused = (isForAll: boolean) => async (): Promise<MailOutcome> => ({
  kind: 'refused',
  reason: 'x',
  isForAll,
});
const EMAIL = 'asha@example.com';

export const alarmsOfNotices: Alarm[] = [
  [
    'NoticeNotSent',
    'SES refuses every e-mail',
    'SES refuses one address, which is tried again',
    (rings) => told(mailRefused(rings)),
  ],
  [
    'NoticeNotSent',
    'SES has refused the only address for hours',
    'it may accept it later',
    (rings) => told(mailRefused(false), (rings ? 6 : 5) * 3_600),
  ],
  [
    'NoticeNotSent',
    'an organization cannot be read',
    'all organizations can be read',
    (rings) => told(sent, 0, rings ? { rate: 'unreadable' } : {}),
  ],
];
