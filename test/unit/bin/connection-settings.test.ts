import { mergeSettings } from '../../../bin/admin/commands/connection/settings.ts';
import type { ConnectionType } from '../../../shared/domain/connections/connection.ts';

it.each<[ConnectionType, unknown, RegExp]>([
  ['crm-b', { pipeline_id: '1', call_window_start: '09:00' }, /crm-b .*pipeline_id/],
  ['crm-b', { departmentId: '1' }, /crm-b .*departmentId/],
  [
    'crm-b',
    { call_window_start: '9am', exclude_sunday: 'true' },
    /call_window_start: must be a time of day such as 09:00; exclude_sunday: .*boolean/,
  ],
  ['crm-b', { sunday_rnr_retry: true }, /sunday_rnr_retry: .*"true" or "false"/],
  ['help-desk', undefined, /departmentId: is required/],
  ['help-desk', { departmentId: 7, tags: ['ab'] }, /departmentId: .*string.*; tags\.0: /],
  ['help-desk', { departmentId: '1', subject_template: 'x'.repeat(60_000) }, /subject_template|at most 50000/],
  ['crm-a', { call_window_start: '09:00' }, /crm-a .*call_window_start/],
])('%s refuses %j by name and with a reason', (type, given, reason) => {
  expect(() => mergeSettings(type, given === undefined ? undefined : JSON.stringify(given))).toThrow(
    expect.objectContaining({ error: 'invalid_value', message: expect.stringMatching(reason) }),
  );
});

it('merges member by member, and removes what is null', () => {
  const stored = { call_window_start: '09:00', call_window_end: '21:00' };
  const given = JSON.stringify({ call_window_end: '20:00', call_window_start: null, exclude_sunday: true });
  expect(mergeSettings('crm-b', given, stored)).toEqual({ call_window_end: '20:00', exclude_sunday: true });
});
