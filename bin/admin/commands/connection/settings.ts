import type { SettingIssue } from '../../../../shared/domain/connections/connection-settings.ts';
import type { Refusal } from '../../failures.ts';
import { invalid, jsonObject } from '../../values.ts';

/** @returns the JSON of the flag; undefined if not given @throws Refusal if it is not a JSON object */
export const readSettings = (given: string | undefined): Record<string, unknown> | undefined =>
  given === undefined ? undefined : { ...jsonObject('--settings', given) };

/** Refuses settings by name and with the reasons. */
export const invalidSettings = (issues: readonly SettingIssue[]): Refusal =>
  invalid(`--settings: ${issues.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ')}.`);
