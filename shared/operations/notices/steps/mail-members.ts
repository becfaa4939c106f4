import { delivered, postponed, withRecipient } from '../../../domain/notices/next-step.ts';
import type { Notice } from '../../../domain/notices/notice.ts';
import { mailOf } from '../../../domain/notices/notice-mail.ts';
import type { SubjectState } from '../../../domain/notices/notice-subject.ts';
import type { Member, Role } from '../../../domain/organizations/members/member.ts';
import type { Organization } from '../../../domain/organizations/organization.ts';
import type { NoticeStore } from '../../../stores/notices/notices.ts';
import type { MemberStore } from '../../../stores/organizations/members.ts';
import type { MailRun } from './mail-run.ts';

export type MailMembersDeps = {
  members: Pick<MemberStore, 'get'>;
  notices: Pick<NoticeStore, 'advance'>;
  run: MailRun;
  /** Origin of the dashboard. */
  dashboardUrl: string;
  now: () => Date;
  warn: (message: string, facts: Record<string, string>) => void;
};

/**
 * E-mails each person once, and records each recipient after sending. Reads each person again shortly before, so that
 * removed or demoted people get no e-mail. A refused address does not stop the others.
 * @param claimed the notice as claimed by this worker
 * @param people whose role is among `roles`
 * @returns false if another worker has taken over the notice
 */
export async function mailMembers(
  deps: MailMembersDeps,
  claimed: Notice,
  {
    subjectState,
    org,
    people,
    roles,
  }: { subjectState: SubjectState; org: Organization; people: readonly Member[]; roles: readonly Role[] },
): Promise<boolean> {
  const { org_id } = org;
  let notice = claimed;
  let missed: 'none' | 'refused' | 'stopped' = 'none';
  for (const { user_id } of people) {
    if (notice.reached.includes(user_id)) continue;
    const member = await deps.members.get(user_id);
    if (member?.org_id !== org_id || !roles.includes(member.role) || member.has_no_emails) continue;
    const mail = mailOf(notice.about, subjectState, org, { role: member.role, dashboardUrl: deps.dashboardUrl });
    const outcome = await deps.run.send(member.email, mail);
    if (outcome?.kind === 'sent') {
      // If a worker dies before this write, its e-mail is sent twice, which is better than not at all.
      notice = withRecipient(notice, user_id, deps.now());
      if (!(await deps.notices.advance(notice))) return false;
      continue;
    }
    if (outcome) deps.warn('an e-mail was refused', { org_id, user_id, reason: outcome.reason });
    if (!outcome || outcome.isForAll) {
      missed = 'stopped';
      break;
    }
    missed = 'refused';
  }
  const after = missed === 'none' ? delivered(notice) : postponed(notice, missed === 'refused', deps.now());
  return deps.notices.advance(after);
}
