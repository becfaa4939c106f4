import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  contactFields,
  isSameTicket,
  type TicketFields,
  ticketFields,
  transcriptComment,
} from '../../../../shared/domain/after-call/help-desk-ticket.ts';
import { forAll } from '../../../support/for-all.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 300 });
const anyLongText = fc
  .tuple(
    anyText,
    fc.constantFrom('a', 'é', '😀', '\ud83d', '\ude00', '\n', '\0'),
    fc.integer({ min: 0, max: 70_000 }),
    anyText,
  )
  .map(([before, unit, times, after]) => before + unit.repeat(times) + after);
const anyFields: fc.Arbitrary<TicketFields> = fc.record(
  {
    departmentId: fc.constant('1892000000006907'),
    subject: anyLongText,
    description: anyLongText,
    phone: anyText,
    priority: anyText,
    classification: anyText,
    assigneeId: fc.constant('1892000000056007'),
  },
  { requiredKeys: ['departmentId', 'subject', 'description', 'phone'] },
);
/** Texts of phone calls as they appear in templates. */
const anyWords = fc
  .array(
    fc.constantFrom('the', 'phone', '<b>', 'a < b', '&', '"it’s"', "don't", '5', '₹500', 'नमस्ते', '😀', '\n', 'x>y'),
    {
      minLength: 1,
      maxLength: 30,
    },
  )
  .map((words) => words.join(' '));
const ticket = (subject: string, description: string): TicketFields =>
  ticketFields({ departmentId: '1', subject, description, phone: '+919876543210' });

describe('the fields of a ticket', () => {
  it('are within the help desk’s limits, well formed, and unchanged when they are computed again', () => {
    forAll([anyFields], (fields) => {
      const made = ticketFields(fields);
      for (const [name, most] of Object.entries({
        subject: 255,
        description: 65_535,
        phone: 120,
        priority: 120,
        classification: 100,
      })) {
        const text = made[name as keyof TicketFields] ?? '';
        expect(text.length).toBeLessThanOrEqual(most);
        expect(text.isWellFormed()).toBe(true);
        expect(text).toBe(text.trim());
      }
      expect(made.subject).not.toBe('');
      expect(ticketFields(made)).toEqual(made);
      expect(ticketFields(fields)).toEqual(made);
    });
  });

  it('are the rendered texts if these fit', () => {
    const fields = {
      departmentId: '1892000000006907',
      subject: 'complaint — +919876543210',
      description: 'The meter is wrong.\n\nShe wants\ta call.',
      phone: '+919876543210',
      priority: 'High',
      classification: 'Problem',
      assigneeId: '1892000000056007',
    };
    expect(ticketFields(fields)).toEqual(fields);
  });

  it('are omitted if they are optional and empty; the required subject gets a default', () => {
    expect(ticketFields({ departmentId: '1', subject: ' \n', description: '\0', phone: '', priority: ' ' })).toEqual({
      departmentId: '1',
      subject: 'Phone call',
      description: '',
      phone: '',
    });
  });

  it('have a subject of one line', () => {
    expect(ticket(' a\r\n b\0c ', 'x').subject).toBe('a bc');
  });
});

describe('a contact', () => {
  it('has the last word of the name as its last name, or the number if no name is known', () => {
    expect(contactFields(' Asha  Devi Rao ', '+919876543210')).toEqual({
      firstName: 'Asha Devi',
      lastName: 'Rao',
      phone: '+919876543210',
    });
    expect(contactFields('Asha', '+919876543210')).toEqual({ lastName: 'Asha', phone: '+919876543210' });
    expect(contactFields(' \n', '+919876543210')).toEqual({ lastName: '+919876543210', phone: '+919876543210' });
  });

  it('is within the help desk’s limits, whatever the name', () => {
    forAll([anyLongText], (name) => {
      const { lastName, firstName } = contactFields(name, '+919876543210');
      expect(lastName.length).toBeGreaterThan(0);
      expect(lastName.length).toBeLessThanOrEqual(200);
      expect(firstName?.length ?? 1).toBeGreaterThan(0);
      expect(firstName?.length ?? 1).toBeLessThanOrEqual(100);
      expect((lastName + (firstName ?? '')).isWellFormed()).toBe(true);
    });
  });
});

describe('the comment with a transcript', () => {
  it('contains all of it, or as much as fits and a note that it is cut', () => {
    forAll([anyLongText], (transcript) => {
      const comment = transcriptComment(transcript);
      expect(comment.length).toBeLessThanOrEqual(32_000);
      expect(comment.isWellFormed()).toBe(true);
      if (transcript.length <= 32_000) expect(comment).not.toContain('is cut here');
    });
    expect(transcriptComment('Assistant: Namaste.\nCustomer: Hello.')).toBe('Assistant: Namaste.\nCustomer: Hello.');
    expect(transcriptComment('a'.repeat(32_000))).toHaveLength(32_000);
    expect(transcriptComment('a'.repeat(32_001))).toMatch(
      /^a+\n\[The transcript is too long for a comment and is cut here\.\]$/,
    );
  });
});

/** @returns the text as a help desk may show it after it was stored as HTML */
const asHtml = (text: string): string =>
  text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/'/g, '&#39;')
    .replace(/\n/g, '<br />');

describe('a found ticket is recognized as the sent one', () => {
  it('unchanged, with different white space, and as HTML', () => {
    forAll([anyWords, anyWords], (subject, description) => {
      const sent = ticket(subject, description);
      expect(isSameTicket(sent, sent)).toBe(true);
      expect(isSameTicket(sent, { ...sent, description: `<div>${asHtml(sent.description)}<br></div>` })).toBe(true);
      expect(isSameTicket(sent, { ...sent, description: ` ${sent.description.replace(/\n/g, '\r\n')}\n` })).toBe(true);
      expect(isSameTicket(sent, { ...sent, phone: '+91 98765-43210' })).toBe(true);
    });
  });

  it('without its texts, but never without its subject', () => {
    const sent = ticket('complaint', 'The meter is wrong.');
    expect(isSameTicket(sent, { subject: 'complaint' })).toBe(true);
    for (const subject of [undefined, null, '']) expect(isSameTicket(sent, { ...sent, subject })).toBe(false);
  });

  it('if an empty description is missing', () => {
    const sent = ticket('complaint', '');
    for (const description of [null, '', undefined]) expect(isSameTicket(sent, { ...sent, description })).toBe(true);
    expect(isSameTicket(ticket('complaint', 'x'), { ...sent, description: null })).toBe(false);
  });

  it('only if subject, description and phone match', () => {
    const words = fc.array(fc.constantFrom('the', 'phone', 'is', '5', '₹500', 'नमस्ते', '&', '<'), { maxLength: 12 });
    forAll([words, words], (one, other) => {
      const [a, b] = [ticket('s', one.join(' ')), ticket('s', other.join(' '))];
      expect(isSameTicket(a, b)).toBe(one.join(' ') === other.join(' '));
    });
    const sent = ticket('complaint', 'x');
    expect(isSameTicket(sent, { ...sent, subject: 'complaint 2' })).toBe(false);
    expect(isSameTicket(sent, { ...sent, phone: '+919876543211' })).toBe(false);
    expect(isSameTicket(sent, { ...sent, phone: null })).toBe(false);
  });
});
