import fc from 'fast-check';
import {
  callWindowOf,
  crmBSettings,
  crmBSettingsSchema,
  withoutEffect,
} from '../../../../shared/domain/connections/crm-b-settings.ts';
import { forAll } from '../../../support/values/for-all.ts';

const isAccepted = (settings: unknown) => crmBSettingsSchema.safeParse(settings).success;
const crmB = (settings: Record<string, unknown>) => ({ type: 'crm-b' as const, settings });

describe('the settings of CRM-B', () => {
  it('are all optional, and each documented one is accepted', () => {
    const all = {
      call_window_start: '09:00',
      call_window_end: '21:00',
      exclude_sunday: true,
      sunday_rnr_retry: 'true',
      disposition_crm_field: 'Lead_Status',
      disposition_value: "RNR, didn't answer",
    };
    expect(crmBSettingsSchema.parse(all)).toEqual(all);
    expect(isAccepted({})).toBe(true);
  });

  it('accept only times of day from 00:00 to 23:59 with two digits each', () => {
    const two = (most: number) => fc.integer({ min: 0, max: most }).map((number) => String(number).padStart(2, '0'));
    forAll([two(23), two(59)], (hour, minute) => isAccepted({ call_window_start: `${hour}:${minute}` }));
    for (const wrong of ['9:00', '24:00', '09:60', '09:00:00', '0900', ' 09:00', '09:00\n', '', 900, null])
      expect(isAccepted({ call_window_end: wrong })).toBe(false);
  });

  it.each([
    { exclude_sunday: 'true' },
    { sunday_rnr_retry: true },
    { sunday_rnr_retry: 'yes' },
    { disposition_crm_field: 'Lead Status' },
    { disposition_crm_field: "Lead_Status = 'x' or 1" },
    { disposition_crm_field: '1st' },
    { disposition_crm_field: '' },
    { disposition_value: '' },
    { disposition_value: 'x'.repeat(256) },
    { window: '09:00' },
  ])('are refused with %j', (wrong) => {
    expect(isAccepted(wrong)).toBe(false);
  });

  it('are ignored one by one if they are unknown or invalid, so that they do not widen the window', () => {
    expect(crmBSettings({})).toEqual({});
    const window = { call_window_start: '09:00', call_window_end: '21:00', exclude_sunday: true };
    for (const other of [{ of_a_newer_version: 1 }, { sunday_rnr_retry: true }, { disposition_value: '' }])
      expect(crmBSettings({ settings: { ...other, ...window } })).toEqual(window);
    const { exclude_sunday, ...hours } = window;
    expect(crmBSettings({ settings: { ...hours, exclude_sunday: 'yes' } })).toEqual(hours);
  });
});

describe('settings that have no effect', () => {
  it('cause a warning: half a call window allows calls at any hour', () => {
    const [start, end] = [{ call_window_start: '09:00' }, { call_window_end: '21:00' }];
    for (const half of [start, end])
      expect(withoutEffect(crmB(half))).toEqual([
        'Leads are called at any hour: a call window needs a start and an end (call_window_start, call_window_end).',
      ]);
    for (const whole of [{ ...start, ...end }, {}]) expect(withoutEffect(crmB(whole))).toEqual([]);
  });

  it('cause a warning: a Sunday sweep without its selection', () => {
    const retry = { sunday_rnr_retry: 'true', disposition_crm_field: 'Lead_Status', disposition_value: 'RNR' };
    expect(withoutEffect(crmB(retry))).toEqual([
      'The Sunday retry also needs a field (disposition_crm_field), its value (disposition_value) and an owner.',
    ]);
    expect(withoutEffect({ ...crmB(retry), trigger_owner_user_id: '1' })).toEqual([]);
    expect(withoutEffect(crmB({ ...retry, sunday_rnr_retry: 'false' }))).toEqual([]);
  });
});

describe('the call window of a connection', () => {
  const window = { call_window_start: '09:00', call_window_end: '21:00' };

  it('is the setting of CRM-B; connections of other types are always open', () => {
    expect(callWindowOf(crmB(window))).toEqual({ start: '09:00', end: '21:00', exclude_sunday: false });
    for (const type of ['crm-a', 'help-desk'] as const)
      expect(callWindowOf({ type, settings: window })).toBeUndefined();
  });

  it('is always open if a time is absent or both are equal, except for excluded Sundays', () => {
    const sixDays = { start: '00:00', end: '00:00', exclude_sunday: true };
    for (const open of [{}, { call_window_start: '09:00' }, { call_window_start: '09:00', call_window_end: '09:00' }]) {
      expect(callWindowOf(crmB(open))).toBeUndefined();
      expect(callWindowOf(crmB({ ...open, exclude_sunday: true }))).toEqual(sixDays);
    }
  });

  it('lets the Sunday sweep call on Sundays, within the same hours, while the connection opts in to it', () => {
    const excluding = { ...window, exclude_sunday: true };
    const optedIn = crmB({ ...excluding, sunday_rnr_retry: 'true' });
    const hours = { start: '09:00', end: '21:00' };
    expect(callWindowOf(optedIn)).toEqual({ ...hours, exclude_sunday: true });
    expect(callWindowOf(optedIn, { isSundayRetry: true })).toEqual({ ...hours, exclude_sunday: false });
    for (const optedOut of [crmB(excluding), crmB({ ...excluding, sunday_rnr_retry: 'false' })])
      expect(callWindowOf(optedOut, { isSundayRetry: true })).toEqual({ ...hours, exclude_sunday: true });
  });
});
