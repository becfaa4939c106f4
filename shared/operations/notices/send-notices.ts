import type { Count } from '../../domain/metric.ts';
import { nextStep } from '../../domain/notices/next-step.ts';
import type { Notice } from '../../domain/notices/notice.ts';
import type { SubjectState } from '../../domain/notices/notice-subject.ts';
import { subjectStates } from '../../domain/notices/notice-subject.ts';
import { noticeRolesOf } from '../../domain/organizations/members/notice-roles.ts';
import type { Organization } from '../../domain/organizations/organization.ts';
import type { Mailer } from '../../integrations/mail/ses.ts';
import type { ConnectionStore } from '../../stores/connections/connections.ts';
import type { NoticeStore } from '../../stores/notices/notices.ts';
import type { MemberStore } from '../../stores/organizations/members.ts';
import type { OrganizationStore } from '../../stores/organizations/organizations.ts';
import { mailMembers } from './steps/mail-members.ts';
import { type MailRun, mailRun } from './steps/mail-run.ts';
import { watchedOrgs } from './steps/watched-orgs.ts';

export type SendNoticesDeps = {
  organizations: Pick<OrganizationStore, 'watched' | 'getMany'>;
  connections: Pick<ConnectionStore, 'listOfOrg'>;
  members: Pick<MemberStore, 'get' | 'withRoles'>;
  notices: Pick<NoticeStore, 'ofOrg' | 'advance' | 'cursor' | 'putCursor'>;
  /** Undefined if the stage has no sender; notices then appear only in the app. */
  mailer: Mailer | undefined;
  dashboardUrl: string;
  now: () => Date;
  sleep: (ms: number) => Promise<void>;
  timeLeftMs: () => number;
  count: Count;
  warn: (message: string, facts: Record<string, string>) => void;
};

/** The report of a run. Operators see its members under these names (docs/notices.md, "Runs by hand"). */
export type NoticeReport = {
  /** `refused`: Amazon SES accepts no e-mails at present. */
  mail: 'on' | 'off' | 'refused';
  looked_at: number;
  /** The notices of a problem or its end that this run worked on. */
  told: number;
  recovered: number;
  mails: number;
  refused: number;
  given_up: number;
  failed: number;
  complete: boolean;
};

const AT_ONCE = 10;
/** Enough for organizations in progress. */
const ENOUGH_TIME_MS = 60_000;
/** The number of members read to find those of the chosen roles: far more than an organization has. */
const MAX_MEMBERS = 2_000;

/**
 * Sends e-mails about low credit and broken connections, once per episode and once when it is over (docs/notices.md).
 * Organizations for which time ran out come first in the next run.
 */
export async function sendNotices(deps: SendNoticesDeps): Promise<NoticeReport> {
  const report: NoticeReport = {
    mail: deps.mailer ? 'on' : 'off',
    looked_at: 0,
    told: 0,
    recovered: 0,
    mails: 0,
    refused: 0,
    given_up: 0,
    failed: 0,
    complete: true,
  };
  const { mailer } = deps;
  if (!mailer) return report;
  const run = mailRun({ ...deps, mailer });
  const before = await deps.notices.cursor();
  let last = before;
  const noteFailure = (org_id: string, reason: string) => {
    report.failed += 1;
    deps.count('NoticeNotSent');
    deps.warn('an organization could not be checked', { org_id, reason });
  };
  for await (const orgs of watchedOrgs(deps.organizations, before, (orgId) => noteFailure(orgId, 'unreadable'))) {
    const waiting = [...orgs];
    const work = async () => {
      for (let org = next(); org; org = next()) await checkOrg(org);
    };
    const next = () => (deps.timeLeftMs() < ENOUGH_TIME_MS ? undefined : waiting.shift());
    const checkOrg = async (org: Organization) => {
      try {
        await sendNoticesOf(deps, run, org, report);
        report.looked_at += 1;
      } catch (error) {
        noteFailure(org.org_id, (error as Error).name);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    last = orgs.at(-1 - waiting.length)?.org_id ?? last;
    if (waiting.length === 0) continue;
    report.complete = false;
    break;
  }
  const after = report.complete ? undefined : last;
  if (after !== before) await deps.notices.putCursor(after);
  const stoppedBy = run.stoppedBy();
  if (stoppedBy !== undefined) {
    deps.count('NoticeNotSent');
    deps.warn('no more e-mails are sent in this run', { reason: stoppedBy });
  }
  return { ...report, ...run.counts, mail: stoppedBy === undefined ? 'on' : 'refused' };
}

async function sendNoticesOf(
  deps: SendNoticesDeps,
  run: MailRun,
  org: Organization,
  report: NoticeReport,
): Promise<void> {
  const [connections, stored] = await Promise.all([
    deps.connections.listOfOrg(org.org_id),
    deps.notices.ofOrg(org.org_id),
  ]);
  for (const subjectState of subjectStates(org, connections)) {
    const { subject } = subjectState.seen;
    await sendNotice(deps, run, { org, subjectState, stored: stored.find((one) => one.subject === subject) }, report);
  }
}

type Case = { org: Organization; subjectState: SubjectState; stored: Notice | undefined };

async function sendNotice(
  deps: SendNoticesDeps,
  run: MailRun,
  { org, subjectState, stored }: Case,
  report: NoticeReport,
) {
  const step = nextStep(stored, subjectState.seen, deps.now());
  if (step.kind === 'nothing') return;
  if (step.kind === 'store') {
    if (!(await deps.notices.advance(step.notice)) || !step.isGivenUp) return;
    report.given_up += 1;
    deps.count('NoticeNotSent');
    deps.warn('a notice is given up', { org_id: org.org_id, subject: subjectState.seen.subject });
    return;
  }
  if (!run.maySend()) return;
  const roles = noticeRolesOf(org)[subjectState.kind];
  const members = roles.length === 0 ? [] : await deps.members.withRoles(org.org_id, roles, MAX_MEMBERS);
  const people = members.filter(({ has_no_emails }) => !has_no_emails);
  // Without a recipient, the notice of a problem stays due until the organization has one.
  if (people.length === 0 && step.notice.about === 'trouble') return;
  if (!(await deps.notices.advance(step.notice))) return;
  report[step.notice.about === 'trouble' ? 'told' : 'recovered'] += 1;
  await mailMembers({ ...deps, run }, step.notice, { subjectState, org, people, roles });
}
