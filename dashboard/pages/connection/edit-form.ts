import { mergeSettings } from '../../../shared/domain/connections/connection-settings.ts';
import type { ConnectionView } from '../../../shared/messages/dashboard/connections.ts';
import { renameFields } from '../../app/api/api-error.ts';
import { type MappingValues, mappingOf, readMapping } from './mapping.ts';

const texts = [
  'call_window_start',
  'call_window_end',
  'disposition_crm_field',
  'disposition_value',
  'departmentId',
  'orgId',
  'subject_template',
  'description_template',
] as const;
const switches = ['exclude_sunday', 'attach_call_recording', 'attach_full_transcript', 'erase_records'] as const;
const mappings = ['priority_mapping', 'classification_mapping', 'assignee_mapping'] as const;

type Condition = { field: string; in: string };

/** A connection's editable settings as form fields; '' and undefined mean not set. */
export type EditValues = Record<(typeof texts)[number], string> &
  Record<(typeof switches)[number], boolean> &
  Record<(typeof mappings)[number], MappingValues | undefined> & {
    auto_call: boolean;
    assistant_id: string;
    trigger_owner_user_id: string;
    sunday_rnr_retry: boolean;
    run_condition: Condition | undefined;
    /** One per line. */
    tags: string;
  };

const record = (value: unknown) => Object(value) as Record<string, unknown>;
const listOf = (text: string): string[] =>
  text
    .split(/[\n,]/)
    .map((one) => one.trim())
    .filter((one) => one !== '');

/** Returns the fields of a stored connection. */
export function valuesOf(connection: ConnectionView): EditValues {
  const { settings } = connection;
  const { run_condition, tags, sunday_rnr_retry } = settings;
  const named = <Name extends string, Value>(names: readonly Name[], read: (value: unknown) => Value) =>
    Object.fromEntries(names.map((name) => [name, read(settings[name])])) as Record<Name, Value>;
  return {
    auto_call: connection.auto_call,
    assistant_id: connection.assistant_id ?? '',
    trigger_owner_user_id: connection.trigger_owner_user_id ?? '',
    ...named(texts, (value) => (typeof value === 'string' ? value : '')),
    ...named(switches, (value) => value === true),
    ...named(mappings, readMapping),
    sunday_rnr_retry: sunday_rnr_retry === 'true',
    run_condition:
      run_condition === undefined
        ? undefined
        : {
            field: String(record(run_condition).field ?? ''),
            in: [record(run_condition).in].flat().map(String).join(', '),
          },
    tags: Array.isArray(tags) ? tags.join('\n') : '',
  };
}

/** Returns the settings that the fields describe; undefined if not set. */
function settingsOf(values: EditValues): Record<string, unknown> {
  const named = <Name extends string>(names: readonly Name[], read: (name: Name) => unknown) =>
    Object.fromEntries(names.map((name) => [name, read(name)]));
  const tags = listOf(values.tags);
  return {
    ...named(texts, (name) => (values[name].trim() === '' ? undefined : values[name])),
    ...named(switches, (name) => (values[name] ? true : undefined)),
    ...named(mappings, (name) => mappingOf(values[name])),
    sunday_rnr_retry: values.sunday_rnr_retry ? 'true' : undefined,
    run_condition: values.run_condition && {
      field: values.run_condition.field.trim(),
      in: listOf(values.run_condition.in),
    },
    tags: tags.length > 0 ? tags : undefined,
  };
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Returns the request that changes a connection to the fields' values: the differences, with null for removed ones. */
export function changesOf(connection: ConnectionView, values: EditValues) {
  const [before, after] = [settingsOf(valuesOf(connection)), settingsOf(values)];
  const settings = Object.fromEntries(
    Object.keys(after)
      .filter((name) => !isSame(before[name], after[name]))
      .map((name) => [name, after[name] ?? null]),
  );
  const assistant_id = values.assistant_id.trim() || null;
  const trigger_owner_user_id = values.trigger_owner_user_id.trim() || null;
  return {
    revision: connection.revision,
    ...(values.auto_call !== connection.auto_call && { auto_call: values.auto_call }),
    ...(assistant_id !== connection.assistant_id && { assistant_id }),
    ...(trigger_owner_user_id !== connection.trigger_owner_user_id && { trigger_owner_user_id }),
    ...(Object.keys(settings).length > 0 && { settings }),
  };
}

/** Returns whether a request of `changesOf` changes anything. */
export const hasChanges = ({ revision: _, ...changes }: ReturnType<typeof changesOf>): boolean =>
  Object.keys(changes).length > 0;

/** Validates the fields by the API's own rule. @returns the invalid fields, with reasons */
export function validate(connection: ConnectionView, values: EditValues): { path: string; message: string }[] {
  const { settings } = changesOf(connection, values);
  const merged = settings && mergeSettings(connection.type, settings, connection.settings);
  return merged?.ok === false ? merged.issues.map(({ path, message }) => ({ path: fieldOf(path), message })) : [];
}

/** "settings.tags.1" and "tags.1" → "tags" */
const fieldOf = (path: string): string => path.replace(/^settings\./, '').split('.')[0] ?? '';

/** Replaces the paths in an error of the API with the names of the form's fields. */
export const withFormFields = (error: unknown): unknown => renameFields(error, fieldOf);
