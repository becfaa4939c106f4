import * as z from 'zod/mini';
import type { CallWindow } from '../time/call-window.ts';
import type { Connection } from './connection.ts';

const timeOfDay = z.string().check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 09:00'));

/** The settings of a CRM-B connection (docs/crm-b.md, "Settings"). */
export const crmBSettingsSchema = z.strictObject({
  call_window_start: z.optional(timeOfDay),
  call_window_end: z.optional(timeOfDay),
  exclude_sunday: z.optional(z.boolean()),
  /** The string 'true' turns the Sunday sweep on. */
  sunday_rnr_retry: z.optional(z.enum(['true', 'false'], 'must be the text "true" or "false"')),
  /** The API name of the lead's field with the disposition. It becomes part of a query. */
  disposition_crm_field: z.optional(
    z.string().check(z.regex(/^[A-Za-z][A-Za-z0-9_]*$/, "must be a field's API name such as Lead_Status")),
  ),
  disposition_value: z.optional(z.string().check(z.minLength(1), z.maxLength(255))),
  /** An erasure of a call or a person removes its notes and call logs (docs/personal-data.md). */
  erase_records: z.optional(z.boolean()),
});

export type CrmBSettings = z.infer<typeof crmBSettingsSchema>;

/**
 * Returns the valid settings of a connection. Each invalid setting is ignored by itself, so that a setting of a newer
 * version does not open the call window.
 */
export function crmBSettings({ settings = {} }: Pick<Connection, 'settings'>): CrmBSettings {
  const known = Object.entries(settings).filter(
    ([name, value]) => crmBSettingsSchema.safeParse({ [name]: value }).success,
  );
  return crmBSettingsSchema.parse(Object.fromEntries(known));
}

/**
 * Returns the call window of a connection; undefined for always open, as for every CRM-A connection.
 * @param options.isSundayRetry whether the call comes from the Sunday sweep, which may call on Sundays while the
 * connection opts in to it
 */
export function callWindowOf(
  connection: Pick<Connection, 'type' | 'settings'>,
  { isSundayRetry = false } = {},
): CallWindow | undefined {
  if (connection.type !== 'crm-b') return undefined;
  const { call_window_start: start, call_window_end: end, ...days } = crmBSettings(connection);
  const isOptedIn = isSundayRetry && days.sunday_rnr_retry === 'true';
  const excludesSunday = days.exclude_sunday === true && !isOptedIn;
  if (start === undefined || end === undefined || start === end)
    return excludesSunday ? { start: '00:00', end: '00:00', exclude_sunday: true } : undefined;
  return { start, end, exclude_sunday: excludesSunday };
}

/** Returns a warning for each setting that has no effect until another one is set. */
export function withoutEffect(connection: Pick<Connection, 'type' | 'settings' | 'trigger_owner_user_id'>): string[] {
  if (connection.type !== 'crm-b') return [];
  const { call_window_start, call_window_end, sunday_rnr_retry, ...retry } = crmBSettings(connection);
  const isHalf = (call_window_start === undefined) !== (call_window_end === undefined);
  const isSweepIncomplete =
    sunday_rnr_retry === 'true' &&
    [retry.disposition_crm_field, retry.disposition_value, connection.trigger_owner_user_id].includes(undefined);
  return [
    ...(isHalf
      ? ['Leads are called at any hour: a call window needs a start and an end (call_window_start, call_window_end).']
      : []),
    ...(isSweepIncomplete
      ? ['The Sunday retry also needs a field (disposition_crm_field), its value (disposition_value) and an owner.']
      : []),
  ];
}
