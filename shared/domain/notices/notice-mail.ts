import type { BrokenStatus } from '../connections/connection-health.ts';
import { brokenSentences, connectionNames } from '../connections/connection-words.ts';
import { toCredits } from '../organizations/credit.ts';
import type { Role } from '../organizations/members/member.ts';
import type { Organization } from '../organizations/organization.ts';
import { cutText } from '../text/cut-text.ts';
import type { Notice } from './notice.ts';
import type { SubjectState } from './notice-subject.ts';

/** An e-mail to one person. */
export type Mail = { subject: string; text: string; html: string };

type Words = { subject: string; sentences: string[]; action: string; path: string };

const MAX_NAME_CHARACTERS = 80;

const brokenSubjects: Readonly<Record<BrokenStatus, string>> = {
  needs_reconnect: 'needs a new consent',
  unhealthy: 'does not work as it should',
  silent: 'delivers no leads',
  rejecting: 'sends deliveries that are refused',
};

const credits = (units: number): string => {
  const number = toCredits(units).toLocaleString('en-IN', { maximumFractionDigits: 3 });
  return `${number} ${units === 1000 ? 'credit' : 'credits'}`;
};
const creditsLeft = (units: number): string => `${credits(units)} ${units === 1000 ? 'is' : 'are'} left`;

function wordsOf(about: Notice['about'], { connection }: SubjectState, org: Organization): Words {
  if (connection) {
    const name = connectionNames[connection.type];
    const path = `/connections/${connection.connection_id}`;
    if (about === 'recovery' || !connection.status)
      return {
        subject: `${name} works again`,
        sentences: [`${name} works again. No action is needed.`],
        action: 'See the connection',
        path,
      };
    const { status } = connection;
    return {
      subject: `${name} ${brokenSubjects[status]}`,
      sentences: [
        `${name}: ${brokenSentences[status]}`,
        'The page of the connection says why, and what to do next. You get one more e-mail when it works again.',
      ],
      action: status === 'needs_reconnect' ? 'Reconnect' : 'Open the connection',
      path,
    };
  }
  const left = creditsLeft(org.available);
  if (about === 'recovery')
    return {
      subject: `Enough credit again: ${credits(org.available)}`,
      sentences: [
        `${left}, which is enough. Leads that were stopped for lack of credit can be retried on the page Leads.`,
      ],
      action: 'See the credit',
      path: '/credit',
    };
  return {
    subject: `Low credit: ${credits(org.available)} left`,
    sentences: [
      org.warn_below === undefined
        ? `${left}, which is less than a minute of a call costs. No call can be placed.`
        : `${left}. You are warned below ${credits(org.warn_below)}.`,
      'When the credit does not cover a call, leads are not called and requests to place calls are refused.',
    ],
    action: 'See the credit',
    path: '/credit',
  };
}

/**
 * Writes the e-mail about a subject to a person. It contains no phone number and no words of calls; the organization's
 * name is its only text written by other people.
 * @param dashboardUrl origin of the pages that it links to
 */
export function mailOf(
  about: Notice['about'],
  subjectState: SubjectState,
  org: Organization,
  { role, dashboardUrl }: { role: Role; dashboardUrl: string },
): Mail {
  const { subject, sentences, action, path } = wordsOf(about, subjectState, org);
  const name = oneLine(org.name);
  const link = `${dashboardUrl}${path}`;
  const settings = `${dashboardUrl}/settings/notifications`;
  const why = `You get this e-mail because you are ${role === 'admin' || role === 'owner' ? 'an' : 'a'} ${role} of ${name}.`;
  const choice = 'Admins choose who gets such e-mails';
  return {
    subject: `${subject} (${name})`,
    text: [...sentences, `${action}: ${link}`, `${why} ${choice}: ${settings}`].join('\n\n'),
    html: [
      ...sentences.map((sentence) => `<p>${escaped(sentence)}</p>`),
      `<p><a href="${escaped(link)}">${escaped(action)}</a></p>`,
      `<p>${escaped(why)} <a href="${escaped(settings)}">${choice}</a>.</p>`,
    ].join('\n'),
  };
}

/** Puts a name on one line, because it must not end a header or begin another line. */
const oneLine = (name: string): string => cutText(name.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' '), MAX_NAME_CHARACTERS);

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => entities[character] ?? character);
