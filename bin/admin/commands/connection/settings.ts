import { z } from 'zod';
import type { Connection, ConnectionType } from '../../../../shared/domain/connections/connection.ts';
import { crmBSettingsSchema } from '../../../../shared/domain/connections/crm-b-settings.ts';
import { helpDeskSettingsSchema } from '../../../../shared/domain/connections/help-desk-settings.ts';
import { invalid, jsonObject } from '../../values.ts';

export type Settings = NonNullable<Connection['settings']>;

/** Every webhook request reads the connection, and DynamoDB limits an item to 400 KB. */
const MOST_CHARACTERS = 50_000;

const schemas = {
  'crm-a': z.strictObject({}),
  'crm-b': crmBSettingsSchema,
  'help-desk': helpDeskSettingsSchema,
} as const satisfies Record<ConnectionType, z.core.$ZodType>;

/**
 * Merges settings into the stored ones, member by member; null removes a member.
 * @param given the JSON of the flag; undefined = not given.
 * @throws Refusal naming every member that is unknown, wrong or missing.
 */
export function mergeSettings(type: ConnectionType, given: string | undefined, stored: Settings = {}): Settings {
  const changes = given === undefined ? {} : jsonObject('--settings', given);
  const unknown = Object.keys(changes).filter((name) => !namesOf(type).includes(name));
  if (unknown.length > 0) throw invalid(`--settings: ${type} has no setting ${unknown.join(', ')}.`);
  const merged = Object.entries({ ...stored, ...changes }).filter(([, value]) => value !== null);
  const parsed = z.safeParse(schemas[type], Object.fromEntries(merged), { reportInput: true });
  if (!parsed.success) throw invalid(`--settings: ${parsed.error.issues.map(describe).join('; ')}.`);
  if (JSON.stringify(parsed.data).length > MOST_CHARACTERS)
    throw invalid(`The settings must have at most ${MOST_CHARACTERS} characters.`);
  return parsed.data;
}

const namesOf = (type: ConnectionType): string[] => Object.keys(schemas[type].def.shape);

function describe({ path, message, input, code }: z.core.$ZodIssue): string {
  const isMissing = code === 'invalid_type' && input === undefined;
  return [path.join('.'), isMissing ? 'is required' : message].filter(Boolean).join(': ');
}
