import fc from 'fast-check';
import {
  contactFields,
  isSameTicket,
  type TicketFields,
  ticketFields,
  transcriptComment,
} from '../../../../../shared/domain/after-call/tickets/help-desk-ticket.ts';
import { anyText, longText } from '../../../../support/values/any-text.ts';
import { forAll } from '../../../../support/values/for-all.ts';

const PHONE = '+919876543210';
const shortText = anyText({ maxLength: 300 });
const anyLongText = longText(70_000);
const anyFields: fc.Arbitrary<TicketFields> = fc.record(
  {
    departmentId: fc.constant('1892000000006907'),
    subject: anyLongText,
    description: anyLongText,
    phone: shortText,
    priority: shortText,
    classification: shortText,
    assigneeId: fc.constant('1892000000056007'),
  },
  { requiredKeys: ['departmentId', 'subject', 'description', 'phone'] },
);
/** Texts of phone calls as they appear in templates. */
const word = fc.constantFrom('the', '<b>', 'a < b', '&', '"it’s"', "don't", '5', '₹500', 'नमस्ते', '😀', '\n', 'x>y');
const anyWords = fc.array(word, { minLength: 1, maxLength: 30 }).map((words) => words.join(' '));
const ticket = (subject: string, description: string): TicketFields =>
  ticketFields({ departmentId: '1', subject, description, phone: PHONE });

describe('the fields of a ticket', () => {
  const limits = { subject: 255, description: 65_535, phone: 120, priority: 120, classification: 100 };

  it('are within the help desk’s limits, well formed, and unchanged when they are computed again', () => {
    forAll([anyFields], (fields) => {
      const made = ticketFields(fields);
      for (const [name, most] of Object.entries(limits)) {
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
      phone: PHONE,
      priority: 'High',
      classification: 'Problem',
      assigneeId: '1892000000056007',
    };
    expect(ticketFields(fields)).toEqual(fields);
  });

  it('are omitted if they are optional and empty; the required subject gets a default', () => {
    const empty = { departmentId: '1', subject: ' \n', description: '\0', phone: '', priority: ' ' };
    const { priority, ...others } = empty;
    expect(ticketFields(empty)).toEqual({ ...others, subject: 'Phone call', description: '' });
  });

  it('have a subject of one line', () => {
    expect(ticket(' a\r\n b\0c ', 'x').subject).toBe('a bc');
  });
});

describe('a contact', () => {
  it('uses the last word of the name as its last name, or the number if no name is known', () => {
    const rao = { firstName: 'Asha Devi', lastName: 'Rao', phone: PHONE };
    expect(contactFields(' Asha  Devi Rao ', PHONE)).toEqual(rao);
    expect(contactFields('Asha', PHONE)).toEqual({ lastName: 'Asha', phone: PHONE });
    expect(contactFields(' \n', PHONE)).toEqual({ lastName: PHONE, phone: PHONE });
  });

  it('and a comment contain no markup from strangers', () => {
    expect(contactFields('<b onclick=x>Asha</b> <i>Rao</i>', PHONE)).toEqual({
      firstName: '‹b onclick=x›Asha‹/b›',
      lastName: '‹i›Rao‹/i›',
      phone: PHONE,
    });
    expect(transcriptComment('User: <script>pay()</script>')).not.toMatch(/[<>]/);
  });

  it('is within the help desk’s limits, for any name', () => {
    forAll([anyLongText], (name) => {
      const { lastName, firstName = 'x' } = contactFields(name, PHONE);
      expect(lastName).toMatch(/^.{1,200}$/s);
      expect(firstName).toMatch(/^.{1,100}$/s);
      expect((lastName + firstName).isWellFormed()).toBe(true);
    });
  });
});

describe('the comment with a transcript', () => {
  it('contains the complete transcript, or a part that fits and a note about the cut', () => {
    forAll([anyLongText], (transcript) => {
      const comment = transcriptComment(transcript);
      expect(comment.length).toBeLessThanOrEqual(32_000);
      expect(comment.isWellFormed()).toBe(true);
      if (transcript.length <= 32_000) expect(comment).not.toContain('is cut here');
    });
    for (const whole of ['Assistant: Namaste.\nCustomer: Hello.', 'a'.repeat(32_000)])
      expect(transcriptComment(whole)).toBe(whole);
    expect(transcriptComment('a'.repeat(32_001))).toMatch(
      /^a+\n\[The transcript is too long for a comment and is cut here\.\]$/,
    );
  });
});

/** A text that a help desk stored as HTML, in the forms in which it may return it. */
const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;', '\n': '<br />' };
const asHtml = (text: string) => text.replace(/[&<>"'\n]/g, (each) => entities[each as keyof typeof entities]);

describe('a found ticket is recognized as the requested one', () => {
  it('unchanged, with different white space, and as HTML', () => {
    forAll([anyWords, anyWords], (subject, description) => {
      const sent = ticket(subject, description);
      for (const shown of [
        {},
        { description: `<div>${asHtml(sent.description)}<br></div>` },
        { description: ` ${sent.description.replace(/\n/g, '\r\n')}\n` },
        { phone: '+91 98765-43210' },
      ])
        expect(isSameTicket(sent, { ...sent, ...shown })).toBe(true);
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
    const texts = words.map((some) => some.join(' '));
    forAll([texts, texts], (one, other) => {
      expect(isSameTicket(ticket('s', one), ticket('s', other))).toBe(one === other);
    });
    const sent = ticket('complaint', 'x');
    for (const other of [{ subject: 'complaint 2' }, { phone: '+919876543211' }, { phone: null }])
      expect(isSameTicket(sent, { ...sent, ...other })).toBe(false);
  });
});
