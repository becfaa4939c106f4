import { z } from 'zod';
import type { Connection, ConnectionType } from '../../shared/domain/connections/connection.ts';
import { crmBSettingsSchema } from '../../shared/domain/connections/crm-b-settings.ts';
import { helpDeskSettingsSchema } from '../../shared/domain/connections/help-desk-settings.ts';
import { invalid, json } from './values.ts';

type Settings = NonNullable<Connection['settings']>;

/** An item may have 400 KB (DynamoDB, quotas); every webhook request reads the connection. */
const MOST_CHARACTERS = 50_000;

const schemas = {
  'crm-a': z.strictObject({}),
  'crm-b': crmBSettingsSchema,
  'help-desk': helpDeskSettingsSchema,
} as const satisfies Record<ConnectionType, z.core.$ZodType>;

/**
 * The settings of a connection with the given ones merged in, member by member; null takes a member away.
 * @param given the flag's JSON; undefined = not given. @param stored what the connection has.
 * @throws Refusal naming every member that is unknown or wrong, and every one that is missing.
 */
export function mergeSettings(type: ConnectionType, given: string | undefined, stored: Settings = {}): Settings {
  const changes = given === undefined ? {} : readObject(given);
  const unknown = Object.keys(changes).filter((name) => !namesOf(type).includes(name));
  if (unknown.length > 0) throw invalid(`--settings: ${type} has no setting ${unknown.join(', ')}.`);
  const merged = Object.entries({ ...stored, ...changes }).filter(([, value]) => value !== null);
  const parsed = z.safeParse(schemas[type], Object.fromEntries(merged), { reportInput: true });
  if (!parsed.success) throw invalid(`--settings: ${parsed.error.issues.map(inWords).join('; ')}.`);
  if (JSON.stringify(parsed.data).length > MOST_CHARACTERS)
    throw invalid(`The settings must not be longer than ${MOST_CHARACTERS} characters.`);
  return parsed.data;
}

const namesOf = (type: ConnectionType): string[] => Object.keys(schemas[type].def.shape);

function readObject(value: string): object {
  const given = json('--settings', value);
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw invalid('--settings must be a JSON object.');
  return given;
}

function inWords({ path, message, input, code }: z.core.$ZodIssue): string {
  const isMissing = code === 'invalid_type' && input === undefined;
  return [path.join('.'), isMissing ? 'is required' : message].filter(Boolean).join(': ');
}
