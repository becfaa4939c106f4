import * as z from 'zod/mini';
import type { Connection } from './connection.ts';
import type { ConnectionType } from './connection-type.ts';
import { crmBSettingsSchema } from './crm-b-settings.ts';
import { helpDeskSettingsSchema } from './help-desk-settings.ts';

export type Settings = NonNullable<Connection['settings']>;

/** Every webhook request reads the connection, and DynamoDB limits an item to 400 KB. */
const MAX_CHARACTERS = 50_000;

const schemas = {
  'crm-a': z.strictObject({}),
  'crm-b': crmBSettingsSchema,
  'help-desk': helpDeskSettingsSchema,
} as const satisfies Record<ConnectionType, z.ZodMiniType>;

/** Lists the names of the settings of a type of connection. */
const settingNames = (type: ConnectionType): string[] => Object.keys(schemas[type].def.shape);

/** A setting, or a part of it, that cannot be stored. `path` is empty if the settings as a whole are refused. */
export type SettingIssue = { path: string; message: string };

export type MergedSettings = { ok: true; settings: Settings } | { ok: false; issues: SettingIssue[] };

/**
 * Merges changes into the stored settings, setting by setting; null removes one. Every writer of settings checks them
 * here. Settings that a newer version stored stay as they are.
 * @returns the settings, or every setting that is unknown, wrong or missing
 */
export function mergeSettings(
  type: ConnectionType,
  changes: Readonly<Record<string, unknown>>,
  stored: Settings = {},
): MergedSettings {
  const unknown = Object.keys(changes).filter((name) => !settingNames(type).includes(name));
  if (unknown.length > 0) return refused({ path: '', message: `${type} has no setting ${unknown.join(', ')}` });
  const isOurs = ([name]: [string, unknown]) => settingNames(type).includes(name);
  const newer = Object.fromEntries(Object.entries(stored).filter((setting) => !isOurs(setting)));
  const merged = Object.entries({ ...stored, ...changes }).filter((setting) => isOurs(setting) && setting[1] !== null);
  const parsed = z.safeParse<z.ZodMiniType<Settings>>(schemas[type], Object.fromEntries(merged), {
    reportInput: true,
    error: issueMessage,
  });
  if (!parsed.success)
    return refused(...parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })));
  const settings = { ...newer, ...parsed.data };
  if (JSON.stringify(settings).length > MAX_CHARACTERS)
    return refused({ path: '', message: `the settings must have at most ${MAX_CHARACTERS} characters` });
  return { ok: true, settings };
}

const refused = (...issues: SettingIssue[]): MergedSettings => ({ ok: false, issues });

const articles: Readonly<Record<string, string>> = { array: 'an', object: 'an' };

/** Explains what a setting must be if its schema has no sentence of its own. */
function issueMessage(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is required';
      return `must be ${articles[issue.expected] ?? 'a'} ${issue.expected}`;
    case 'too_small':
      if (issue.origin === 'array') return 'must name at least one';
      return Number(issue.minimum) > 1 ? `must have at least ${issue.minimum} characters` : 'must not be empty';
    case 'too_big':
      return `must have at most ${issue.maximum} ${issue.origin === 'array' ? 'entries' : 'characters'}`;
    case 'unrecognized_keys':
      return `has no member ${issue.keys.join(', ')}`;
    default:
      return 'cannot be used';
  }
}
