import { cutText } from '../../text/cut-text.ts';
import { withoutMarkup } from '../../text/plain-text.ts';

/** The fields of a new contact. */
export type ContactFields = {
  lastName: string;
  firstName?: string;
  phone: string;
};

/** The contact of a ticket: an existing one, or one that the ticket creates. */
export type TicketContact = { contactId: string } | { contact: ContactFields };

/** The fields of a ticket, exactly as they are sent and later looked up. */
export type TicketFields = {
  departmentId: string;
  subject: string;
  description: string;
  phone: string;
  priority?: string;
  classification?: string;
  assigneeId?: string;
};

/** The help desk's limits in UTF-16 units (Zoho Desk v1, createTicketRequest, createContactRequest). */
const LIMITS = {
  subject: 255,
  description: 65_535,
  phone: 120,
  priority: 120,
  classification: 100,
  lastName: 200,
  firstName: 100,
  contactPhone: 50,
} as const;

/** The help desk's limit in characters (Zoho Desk v1, addComment). */
const MAX_COMMENT_CHARACTERS = 32_000;
const CUT_MARK = '\n[The transcript is too long for a comment and is cut here.]';
/** The help desk requires a subject. */
const NO_SUBJECT = 'Phone call';

/**
 * Finalizes a ticket's fields. Deterministic, because a ticket whose request has an unknown outcome is found only by
 * its subject, description and phone.
 * @param fields as rendered and mapped; texts of any length
 * @returns the fields cut to the help desk's limits, never within a character; empty fields are absent
 */
export function ticketFields(fields: TicketFields): TicketFields {
  const { departmentId, assigneeId } = fields;
  const priority = line(fields.priority, LIMITS.priority);
  const classification = line(fields.classification, LIMITS.classification);
  return {
    departmentId,
    subject: line(fields.subject, LIMITS.subject) || NO_SUBJECT,
    description: cutText(clean(fields.description).trim(), LIMITS.description).trim(),
    phone: line(fields.phone, LIMITS.phone),
    ...(priority && { priority }),
    ...(classification && { classification }),
    ...(assigneeId && { assigneeId }),
  };
}

/**
 * Builds a contact. Its last name is the last word of the name, or the phone number for a person without a name.
 * @param name of the person, '' if it is not known. @param phone E.164.
 */
export function contactFields(name: string, phone: string): ContactFields {
  const words = line(withoutMarkup(name), LIMITS.firstName + LIMITS.lastName).split(' ');
  const lastName = cutText(words.pop() ?? '', LIMITS.lastName);
  const firstName = cutText(words.join(' '), LIMITS.firstName).trim();
  return {
    lastName: lastName || phone,
    ...(firstName && { firstName }),
    phone: cutText(phone, LIMITS.contactPhone),
  };
}

/** Returns a comment with a transcript of any length, cut to the limit and then marked as cut. */
export function transcriptComment(transcript: string): string {
  const said = withoutMarkup(clean(transcript)).trim();
  return said.length <= MAX_COMMENT_CHARACTERS
    ? said
    : cutText(said, MAX_COMMENT_CHARACTERS - CUT_MARK.length) + CUT_MARK;
}

/** A ticket's texts as the help desk shows them: null if empty, undefined if hidden. */
export type ShownTexts = { [Name in 'subject' | 'description' | 'phone']?: string | null | undefined };

/**
 * Returns whether a ticket has the texts that were sent. Ignores differences in white space, and in HTML, because the
 * help desk may show a text as HTML.
 * @param sent by `ticketFields` @param shown matches only if its subject is shown; other hidden texts are ignored
 */
export function isSameTicket(
  sent: Pick<TicketFields, 'subject' | 'description' | 'phone'>,
  shown: ShownTexts,
): boolean {
  const { subject, description, phone } = shown;
  if (typeof subject !== 'string' || !isSameText(sent.subject, subject)) return false;
  if (description !== undefined && !isSameText(sent.description, description ?? '')) return false;
  return phone === undefined || digits(sent.phone) === digits(phone ?? '');
}

function isSameText(sent: string, shown: string): boolean {
  const read = spaced(unmarked(shown));
  return [spaced(shown), read].includes(spaced(sent)) || read === spaced(unmarked(sent));
}

const spaced = (text: string): string => text.replace(/\s+/g, ' ').trim();
const digits = (text: string): string => text.replace(/\D/g, '');

/** Returns whether a text that the help desk shows begins with the text that was sent, even if it is shown as HTML. */
export const beginsWith = (shown: string, sent: string): boolean =>
  [spaced(shown), spaced(unmarked(shown))].some((text) => text.startsWith(spaced(sent)));

const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", apos: "'", nbsp: ' ', amp: '&' };
/** Converts HTML to text. */
const unmarked = (text: string): string =>
  text
    .replace(/<\/?[a-z][^<>]*>/gi, ' ')
    .replace(/&(lt|gt|quot|#39|apos|nbsp|amp);/g, (_, name: string) => entities[name] ?? '');

/** Reduces a text to one line, because the help desk shows it in lists. */
const line = (text = '', most: number): string => cutText(spaced(clean(text)), most).trim();

/** Removes lone surrogates, and control characters other than white space. */
const clean = (text: string): string => text.toWellFormed().replace(/[^\P{Cc}\s]/gu, '');
