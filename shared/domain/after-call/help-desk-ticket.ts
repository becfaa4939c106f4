/** Whom a ticket is about, as the help desk takes a contact. */
export type ContactFields = {
  lastName: string;
  firstName?: string;
  phone: string;
};

/** What a ticket says, in the words that are sent and later looked for. */
export type TicketFields = {
  departmentId: string;
  subject: string;
  description: string;
  phone: string;
  priority?: string;
  classification?: string;
  assigneeId?: string;
};

/** Longest texts that the help desk takes (Zoho Desk v1, createTicketRequest, createContactRequest); UTF-16 units. */
const MOST = {
  subject: 255,
  description: 65_535,
  phone: 120,
  priority: 120,
  classification: 100,
  lastName: 200,
  firstName: 100,
  contactPhone: 50,
} as const;

/** Characters of a comment (Zoho Desk v1, addComment). */
const MOST_COMMENT_CHARACTERS = 32_000;
const CUT_MARK = '\n[The transcript is too long for a comment and is cut here.]';
/** The help desk asks for a subject and a last name. */
const NO_SUBJECT = 'Phone call';

/**
 * Makes a ticket's fields final: the same text always becomes the same fields, for a ticket whose answer got lost is found
 * by its subject, description and phone alone.
 * @param fields as rendered and mapped; texts of any length.
 * @returns them as they are sent: cut to the help desk's limits, never within a character; empty ones are absent.
 */
export function ticketFields(fields: TicketFields): TicketFields {
  const { departmentId, assigneeId } = fields;
  const priority = line(fields.priority, MOST.priority);
  const classification = line(fields.classification, MOST.classification);
  return {
    departmentId,
    subject: line(fields.subject, MOST.subject) || NO_SUBJECT,
    description: cut(clean(fields.description).trim(), MOST.description).trim(),
    phone: line(fields.phone, MOST.phone),
    ...(priority && { priority }),
    ...(classification && { classification }),
    ...(assigneeId && { assigneeId }),
  };
}

/**
 * @param name of the person, '' where nobody knows it. @param phone E.164.
 * @returns the contact for the person: the last word is the last name; without a name the phone stands for it.
 */
export function contactFields(name: string, phone: string): ContactFields {
  const words = line(name, MOST.firstName + MOST.lastName).split(' ');
  const lastName = cut(words.pop() ?? '', MOST.lastName);
  const firstName = cut(words.join(' '), MOST.firstName).trim();
  return {
    lastName: lastName || phone,
    ...(firstName && { firstName }),
    phone: cut(phone, MOST.contactPhone),
  };
}

/** @param transcript of any length. @returns the comment that holds it, or as much as a comment holds, and says so. */
export function transcriptComment(transcript: string): string {
  const said = clean(transcript).trim();
  return said.length <= MOST_COMMENT_CHARACTERS
    ? said
    : cut(said, MOST_COMMENT_CHARACTERS - CUT_MARK.length) + CUT_MARK;
}

/** A ticket's texts as the help desk shows them: null where empty, undefined where it does not show them. */
export type ShownTexts = { [Name in 'subject' | 'description' | 'phone']?: string | null | undefined };

/**
 * Whether a ticket says what was sent. Space counts as space, however much; the help desk may show a text as HTML.
 * @param sent by `ticketFields`. @param shown without its subject it is no match; other texts that are hidden do not count
 * against it.
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

const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", apos: "'", nbsp: ' ', amp: '&' };
/** HTML as text. */
const unmarked = (text: string): string =>
  text
    .replace(/<\/?[a-z][^<>]*>/gi, ' ')
    .replace(/&(lt|gt|quot|#39|apos|nbsp|amp);/g, (_, name: string) => entities[name] ?? '');

/** One line: the help desk shows these in lists. */
const line = (text = '', most: number): string => cut(spaced(clean(text)), most).trim();

/** Without what is no text: halves of characters, and control characters that are no space. */
const clean = (text: string): string => text.toWellFormed().replace(/[^\P{Cc}\s]/gu, '');

/** Never half of a character. */
function cut(text: string, most: number): string {
  const part = text.slice(0, most);
  return part.isWellFormed() ? part : part.slice(0, -1);
}
