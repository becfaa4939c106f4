import { mergeSettings } from '../../../../shared/domain/connections/connection-settings.ts';
import type { ConnectionType } from '../../../../shared/domain/connections/connection-type.ts';

const merge = (type: ConnectionType, given: Record<string, unknown>, stored = {}) => {
  const merged = mergeSettings(type, given, stored);
  if (merged.ok) return merged.settings;
  return merged.issues.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ');
};

/** Every setting of a help desk connection. */
const helpDesk = {
  departmentId: '1',
  orgId: '60001',
  subject_template: '{lead_intent}: {caller_name}',
  description_template: '{issue_summary}\n{transcript}',
  attach_call_recording: true,
  attach_full_transcript: true,
  run_condition: { field: 'lead_intent', in: ['complaint', 'callback'] },
  priority_mapping: { field: 'lead_intent', values: { complaint: 'High' }, fallback: 'Medium' },
  classification_mapping: { field: 'lead_intent', values: { complaint: 'Problem' } },
  assignee_mapping: { field: 'city', values: { Pune: '189200000000056001' } },
  tags: ['voice-call', 'पुणे'],
};

it.each<[string, ConnectionType, object, Record<string, unknown>, object]>([
  ['accepts every setting of a help desk', 'help-desk', {}, helpDesk, helpDesk],
  [
    'leaves the settings that are not given',
    'help-desk',
    helpDesk,
    { tags: ['other'] },
    { ...helpDesk, tags: ['other'] },
  ],
  [
    'leaves a setting that a newer version stored',
    'help-desk',
    { departmentId: '7', escalation: { after: 2 } },
    { tags: ['other'] },
    { departmentId: '7', escalation: { after: 2 }, tags: ['other'] },
  ],
  [
    'removes every setting that is null',
    'help-desk',
    helpDesk,
    { ...Object.fromEntries(Object.keys(helpDesk).map((name) => [name, null])), departmentId: '8' },
    { departmentId: '8' },
  ],
  [
    'replaces a mapping as a whole',
    'help-desk',
    helpDesk,
    { priority_mapping: { field: 'lead_intent', values: { callback: 'Low' } } },
    { ...helpDesk, priority_mapping: { field: 'lead_intent', values: { callback: 'Low' } } },
  ],
  ['ignores null for a setting that is not stored', 'crm-b', {}, { disposition_value: null }, {}],
])('%s', (_, type, stored, given, merged) => {
  expect(merge(type, given, stored)).toEqual(merged);
});

const tooLong = { field: 'city', values: { ['k'.repeat(101)]: 'High' } };
const tooLarge = {
  field: 'city',
  values: Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`city ${index}`, 'x'.repeat(100)])),
};

it.each<[ConnectionType, Record<string, unknown>, RegExp]>([
  ['crm-b', { pipeline_id: '1', call_window_start: '09:00' }, /crm-b .*pipeline_id/],
  ['crm-b', { departmentId: '1' }, /crm-b .*departmentId/],
  ['crm-b', { orgId: null }, /crm-b .*orgId/],
  ['crm-b', { call_window_end: '24:00' }, /call_window_end: must be a time of day/],
  [
    'crm-b',
    { call_window_start: '9am', exclude_sunday: 'true' },
    /call_window_start: must be a time of day such as 09:00; exclude_sunday: .*boolean/,
  ],
  ['crm-b', { sunday_rnr_retry: true }, /sunday_rnr_retry: .*"true" or "false"/],
  ['help-desk', {}, /departmentId: is required/],
  ['help-desk', { departmentId: 7, tags: ['ab'] }, /departmentId: .*string.*; tags\.0: /],
  ['help-desk', { departmentId: '1', subject_template: 'x'.repeat(1_001) }, /^\w+: must have at most 1000 characters$/],
  ['help-desk', { departmentId: '1', priority_mapping: tooLarge }, /^the settings must have at most 50000 characters$/],
  ['help-desk', { departmentId: '1', priority_mapping: tooLong }, /^priority_mapping\.values\.k+: cannot be used$/],
  ['help-desk', { departmentId: 'Customer care' }, /^departmentId: must be an id$/],
  ['help-desk', { departmentId: '1', tags: ['null'] }, /^tags\.0: must not be the word null$/],
  ['help-desk', { departmentId: '1', tags: Array(52).fill('voice') }, /^tags: must have at most 51 entries$/],
  ['crm-b', { disposition_crm_field: 'Lead Status' }, /^\w+: must be a field's API name such as Lead_Status$/],
  ['help-desk', { departmentId: '1', auto_close: true }, /^help-desk has no setting auto_close$/],
  ['crm-a', { call_window_start: '09:00' }, /crm-a .*call_window_start/],
  ['crm-a', { pipeline_id: '1' }, /pipeline_id/],
  ['help-desk', { departmentId: '1', tags: ['ab'] }, /tags\.0: must have at least 3 characters/],
])('%s refuses %j by name and with a reason', (type, given, reason) => {
  expect(merge(type, given)).toMatch(reason);
});

it('names every wrong setting of a help desk with its reason', () => {
  const wrong: Record<keyof typeof helpDesk, unknown> = {
    departmentId: null,
    orgId: 60001,
    subject_template: '',
    description_template: 7,
    attach_call_recording: 'true',
    attach_full_transcript: 1,
    run_condition: { field: 'lead_intent', in: [] },
    priority_mapping: { field: 'lead_intent', values: { complaint: 1 } },
    classification_mapping: { values: {} },
    assignee_mapping: { field: 'city', values: {}, default: '1' },
    tags: ['voice-call', 'a:b'],
  };
  for (const name of Object.keys(wrong))
    expect(merge('help-desk', wrong, helpDesk)).toMatch(new RegExp(`\\b${name}\\S*: \\S`));
  expect(merge('help-desk', wrong, helpDesk)).toMatch(
    /departmentId: is required; .*subject_template: must not be empty; .*tags\.1: may have letters, digits, spaces/,
  );
});
