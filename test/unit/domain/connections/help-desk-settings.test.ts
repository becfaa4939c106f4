import fc from 'fast-check';
import { helpDeskSettingsSchema } from '../../../../shared/domain/connections/help-desk-settings.ts';
import { forAll } from '../../../support/values/for-all.ts';

const isAccepted = (settings: unknown) => helpDeskSettingsSchema.safeParse(settings).success;
const needed = { departmentId: '1892000000006907' };
const isAcceptedWith = (settings: object) => isAccepted({ ...needed, ...settings });
const mapping = { field: 'lead_intent', values: { complaint: 'High', callback: 'Low' }, fallback: 'Medium' };

describe('the settings of a help desk', () => {
  it('require only a department and contain no stored defaults', () => {
    expect(helpDeskSettingsSchema.parse(needed)).toEqual(needed);
    for (const departmentId of [undefined, null, 1892000000006907, '', 'Customer care', 'x'.repeat(51)])
      expect(isAccepted({ departmentId })).toBe(false);
    expect(isAccepted({})).toBe(false);
  });

  it('may have every documented member', () => {
    const all = {
      ...needed,
      orgId: '60001234567',
      subject_template: '{lead_intent} — {caller_mobile}',
      description_template: '{issue_summary}\n\n{transcript}',
      attach_call_recording: true,
      attach_full_transcript: false,
      run_condition: { field: 'lead_intent', in: ['complaint'] },
      priority_mapping: mapping,
      classification_mapping: { field: 'lead_intent', values: {} },
      assignee_mapping: { field: 'City', values: { Pune: '4000000045001' }, fallback: '4000000045002' },
      tags: ['voice-assistant', 'संपर्क', 'a.b_c+d 50%'],
    };
    expect(helpDeskSettingsSchema.parse(all)).toEqual(all);
  });

  it.each([
    { priority: 'High' },
    { orgId: 60001234567 },
    { subject_template: '' },
    { subject_template: 'x'.repeat(1_001) },
    { description_template: 'x'.repeat(10_001) },
    { attach_call_recording: 'true' },
    { attach_full_transcript: 1 },
    { run_condition: { in: ['complaint'] } },
    { run_condition: { field: 'lead_intent', in: [] } },
    { run_condition: { field: 'lead_intent', in: ['complaint'], not: 'x' } },
    { priority_mapping: { ...mapping, field: '' } },
    { priority_mapping: { ...mapping, values: { complaint: 1 } } },
    { priority_mapping: { ...mapping, default: 'High' } },
    { assignee_mapping: { ...mapping, fallback: '' } },
    { classification_mapping: { values: {} } },
    { tags: 'voice' },
    { tags: Array.from({ length: 52 }, () => 'voice') },
  ])('are refused with %j', (wrong) => {
    expect(isAcceptedWith(wrong)).toBe(false);
  });

  it('have tags of 3 to 50 characters that the help desk allows, and never the word null', () => {
    const allowed = fc.string({ minLength: 3, maxLength: 50, unit: fc.constantFrom(...'abzAZ09_.-+% éकத本') });
    forAll([allowed], (tag) => isAcceptedWith({ tags: [tag] }) === (tag !== 'null'));
    const strange = fc.constantFrom(...':/,;"\\\n\t#&{}');
    forAll([allowed, strange], (tag, character) => !isAcceptedWith({ tags: [tag.slice(0, -1) + character] }));
    for (const tag of ['', 'ab', 'x'.repeat(51), 'null']) expect(isAcceptedWith({ tags: [tag] })).toBe(false);
  });
});
