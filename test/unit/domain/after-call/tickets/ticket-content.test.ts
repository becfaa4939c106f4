import fc from 'fast-check';
import { isSameTicket } from '../../../../../shared/domain/after-call/tickets/help-desk-ticket.ts';
import {
  callerName,
  type HelpDeskSettings,
  namesTranscript,
  readSettings,
  ticketOf,
  whyNoTicket,
} from '../../../../../shared/domain/after-call/tickets/ticket-content.ts';
import { type AnalysisResult, leadIntents } from '../../../../../shared/domain/calls/analysis.ts';
import type { Call } from '../../../../../shared/domain/calls/call.ts';
import { anyText } from '../../../../support/values/any-text.ts';
import { forAll } from '../../../../support/values/for-all.ts';
import { aCall, aCalledLead, aResult } from '../../../support/call.ts';

const settings: HelpDeskSettings = { departmentId: '7000001' };

const analyzed = (result: Partial<AnalysisResult> = {}, over: Partial<Call> = {}): Call =>
  aCall({
    status: 'completed',
    duration: 90,
    analysis: { state: 'done', result: aResult({ lead_intent: 'complaint', issue_summary: 'It leaks.', ...result }) },
    ...over,
  });

describe('the run condition', () => {
  const ticketIntents: readonly string[] = ['complaint', 'support_request', 'callback'];
  it.each(ticketIntents)('holds by default for the intent %s', (lead_intent) => {
    expect(whyNoTicket(analyzed({ lead_intent }), {})).toBeUndefined();
  });

  const otherIntents = leadIntents.filter((intent) => !ticketIntents.includes(intent));
  it.each([...otherIntents, 'sales', 'Complaint', '', null])('does not hold for the intent %j', (lead_intent) => {
    expect(whyNoTicket(analyzed({ lead_intent }), {})).toMatch(/./);
  });

  it.each(['completed', 'transferred'] as const)('may hold for a call that is %s', (status) => {
    expect(whyNoTicket(analyzed({}, { status }), {})).toBeUndefined();
  });

  it.each(['no_answer', 'busy', 'failed', 'canceled', 'in_progress'] as const)(
    'never holds for a call that is %s',
    (status) => {
      expect(whyNoTicket(analyzed({}, { status }), {})).toBe(`the call is ${status}`);
    },
  );

  it('may test any extracted field, as text', () => {
    const call = analyzed({ structured_data: { urgent: true, floor: 3 } });
    const whyNot = (field: string, ...values: string[]) => whyNoTicket(call, { run_condition: { field, in: values } });
    expect(whyNot('urgent', 'true')).toBeUndefined();
    expect(whyNot('floor', '1', '3')).toBeUndefined();
    expect(whyNot('floor', '4', '5')).toMatch(/floor is “3”, and a ticket needs “4” or “5”$/);
    expect(whyNot('nothing', '4')).toMatch(/nothing is not known/);
    expect(whyNot('toString', '4')).toMatch(/not known/);
    const talkative = analyzed({ issue_summary: 'x'.repeat(61) });
    const condition = { run_condition: { field: 'issue_summary', in: ['y'] } };
    expect(whyNoTicket(talkative, condition)).toContain(`is “${'x'.repeat(60)}…”, and`);
  });

  it('does not hold without an analysis, and gives this reason', () => {
    for (const state of ['failed', 'none', 'pending'] as const)
      expect(whyNoTicket(aCall({ status: 'completed', analysis: { state } }), {})).toMatch(/no analysis/);
  });
});

describe('the ticket of a call', () => {
  it('has the default content', () => {
    expect(ticketOf(analyzed(), settings, undefined)).toEqual({
      departmentId: '7000001',
      subject: 'complaint — +919812345678',
      description: 'It leaks.',
      phone: '+919812345678',
      priority: 'High',
    });
  });

  it.each([
    ['complaint', 'High'],
    ['support_request', 'High'],
    ['callback', 'Low'],
    ['sales', undefined],
  ])('with the intent %s gets the default priority %s', (lead_intent, priority) => {
    expect(ticketOf(analyzed({ lead_intent }), settings, undefined).priority).toBe(priority);
  });

  it('maps values of extracted fields, with a literal fallback', () => {
    const mapping = (fallback?: string) => ({
      field: 'product',
      values: { tap: 'A', toString: 'B' },
      ...(fallback && { fallback }),
    });
    const mapped = (product: unknown, fallback?: string) => {
      const mappings = {
        priority_mapping: mapping(fallback),
        classification_mapping: mapping(),
        assignee_mapping: mapping('900'),
      };
      return ticketOf(analyzed({ structured_data: { product } }), { ...settings, ...mappings }, undefined);
    };
    expect(mapped('tap')).toMatchObject({ priority: 'A', classification: 'A', assigneeId: 'A' });
    expect(mapped('fan', 'Medium')).toMatchObject({ priority: 'Medium', assigneeId: '900' });
    expect(mapped('fan')).not.toHaveProperty('classification');
    expect(mapped('valueOf')).not.toHaveProperty('priority');
    expect(mapped(undefined, 'Medium').priority).toBe('Medium');
  });

  it('takes a value from the first of: call, extracted fields, the client’s metadata, our metadata, transcript', () => {
    const everywhere = { status: 'x', lead_intent: 'y', shared: 'metadata', own: 'client', transcript: 'client' };
    const call = analyzed(
      { structured_data: { shared: 'extracted', phone_number: 'x' } },
      { request_metadata: everywhere, metadata: { own: 'x', ticket_id: '7' }, assistant_name: 'Asha' },
    );
    const templates = {
      ...settings,
      subject_template: '{status}|{phone_number}|{assistant_name}|{lead_intent}|{shared}|{own}|{ticket_id}|{duration}',
      description_template: 'So: {transcript}',
    };
    expect(ticketOf(call, templates, 'Hello.')).toMatchObject({
      subject: 'completed|+919812345678|Asha|complaint|extracted|client|7|90',
      description: 'So: client',
    });
    expect(ticketOf(analyzed(), templates, 'Hello.').description).toBe('So: Hello.');
    expect(ticketOf(call, { ...settings, subject_template: '{id}' }, undefined).subject).toBe(call.call_id);
  });

  it('is valid if its templates render to empty text', () => {
    const empty = { ...settings, subject_template: '{nothing}', description_template: '{nothing}' };
    const subject = expect.stringMatching(/\S/);
    expect(ticketOf(analyzed(), empty, undefined)).toMatchObject({ subject, description: '' });
  });

  it('is deterministic, within the help desk’s limits, and never renders a value as a template', () => {
    const anyValue = fc.oneof(
      anyText({ maxLength: 400 }),
      fc.constantFrom('{transcript}', '{{x}}', 'x'.repeat(70_000)),
      fc.jsonValue(),
    );
    forAll([anyValue, anyValue, anyText()], (one, other, template) => {
      const call = analyzed({ structured_data: { one, other } }, { request_metadata: { name: JSON.stringify(one) } });
      const own = {
        ...settings,
        subject_template: `${template}{one}{other}`,
        description_template: `{one}${template}{caller_name}`,
      };
      const ticket = ticketOf(call, own, 'SECRET');
      expect(ticket.subject.trim()).not.toBe('');
      expect(ticket.subject.length).toBeLessThanOrEqual(255);
      expect(ticket.description.length).toBeLessThanOrEqual(65_535);
      expect(`${ticket.subject}${ticket.description}`.isWellFormed()).toBe(true);
      if (!/transcript/.test(template)) expect(ticket.description).not.toContain('SECRET');
      expect(ticketOf(structuredClone(call), own, 'SECRET')).toEqual(ticket);
    });
  });

  it('contains no markup from values, and is recognized in any format in which the help desk shows it', () => {
    const markup = fc.constantFrom('<', '>', '</', '<!--', '<a href="//x">', '<img src=x', '&lt;b', '&', 'b');
    const unit = fc.oneof({ weight: 3, arbitrary: markup }, fc.constantFrom('\0', '\n', '😀'));
    const anyWords = fc.oneof(fc.string({ unit }), anyText());
    const all = '{issue_summary}{note}{list}{name}{own}{transcript}';
    const own = { ...settings, subject_template: all, description_template: all };
    forAll([anyWords, anyWords], (one, other) => {
      const call = analyzed(
        { issue_summary: one, structured_data: { list: [other, one], note: { [one]: other } } },
        { request_metadata: { name: other }, metadata: { own: one } },
      );
      const { subject, description, phone } = ticketOf(call, own, other);
      expect(`${subject}\n${description}`).not.toMatch(/<[a-z/!]/i);
      const asHtml = description.replace(/&/g, '&amp;').replace(/\n/g, '<br />');
      for (const shown of [description, asHtml])
        expect(isSameTicket({ subject, description, phone }, { subject, description: shown, phone })).toBe(true);
    });
  });

  it('needs the transcript only if a template names it', () => {
    expect(namesTranscript(settings)).toBe(false);
    expect(namesTranscript({ ...settings, description_template: 'a { transcript } b' })).toBe(true);
    expect(namesTranscript({ ...settings, subject_template: '{transcripts}' })).toBe(false);
  });
});

describe('the name of the called person', () => {
  it.each<[Partial<Call>, string]>([
    [{}, ''],
    [{ request_metadata: { name: ' Meera Iyer ' } }, 'Meera Iyer'],
    [{ request_metadata: { name: 'x', caller_name: 'Meera' } }, 'Meera'],
    [{ request_metadata: { name: 7 } }, ''],
  ])('for the call %j is %j', (over, name) => {
    expect(callerName(aCall(over))).toBe(name);
  });

  it.each<[Record<string, string>, string]>([
    [{ Full_Name: 'Meera Iyer', First_Name: 'x' }, 'Meera Iyer'],
    [{ First_Name: 'Meera', Last_Name: 'Iyer' }, 'Meera Iyer'],
    [{ Last_Name: 'Iyer' }, 'Iyer'],
    [{ FirstName: 'Ravi', LastName: 'Rao' }, 'Ravi Rao'],
    [{ Company: 'x' }, ''],
  ])('for the lead %j is %j', (fields, name) => {
    expect(callerName(aCall({ lead: aCalledLead({ fields }) }))).toBe(name);
  });
});

describe('the settings of a ticket', () => {
  it('are accepted if a ticket can be created with them', () => {
    expect(readSettings({ ...settings, tags: ['voice'] })).toEqual({ departmentId: '7000001', tags: ['voice'] });
    // A value of a newer version.
    expect(readSettings({ ...settings, escalation: { after: 2 } })).toEqual({ departmentId: '7000001' });
  });

  it.each<[unknown, string]>([
    [undefined, 'departmentId'],
    [{ tags: ['a'] }, 'departmentId, tags.0'],
  ])('%j are refused with the names of the wrong members: %s', (stored, bad) => {
    const error = `settings of the help-desk connection that are missing or invalid: ${bad}`;
    expect(readSettings(stored)).toEqual({ error });
  });
});
