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
export const MOST_COMMENT_CHARACTERS = 32_000;
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
    description: cut(fields.description, MOST.description).trim(),
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

/**
 * @param transcript of any length. @param heading which call's it is: that is what the comment is found by.
 * @returns the comment that holds it, or as much as a comment holds, and says so.
 */
export function transcriptComment(transcript: string, heading: string): string {
  const said = `${heading}\n${transcript.toWellFormed().trim()}`;
  return said.length <= MOST_COMMENT_CHARACTERS
    ? said
    : cut(said, MOST_COMMENT_CHARACTERS - CUT_MARK.length) + CUT_MARK;
}

/** One line: the help desk shows these in lists. */
const line = (text = '', most: number): string => cut(text.toWellFormed().replace(/\s+/g, ' ').trim(), most).trim();

/** Never half of a character. */
function cut(text: string, most: number): string {
  const part = text.toWellFormed().slice(0, most);
  return part.isWellFormed() ? part : part.slice(0, -1);
}
