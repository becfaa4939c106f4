import type { Option } from 'commander';
import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import type { SettingIssue } from '../../../../shared/domain/connections/connection-settings.ts';
import { withoutEffect } from '../../../../shared/domain/connections/crm-b-settings.ts';
import { assistantNotFound } from '../../cloud/records.ts';
import { Refusal } from '../../failures.ts';
import { invalid, jsonObject, NONE, oneOf, text } from '../../values.ts';
import { optional } from '../../verb.ts';

/** The flags that create and update share. */
export type ConnectionFlags = { assistant?: string; owner?: string; autoCall?: string; settings?: string };

/** @param mayRemove whether `none` removes a value, as in update */
export function connectionOptions({ mayRemove }: { mayRemove: boolean }): Option[] {
  const removal = mayRemove ? ` ("${NONE}" removes it)` : '';
  return [
    optional('--assistant <id>', `assistant that conducts the calls${removal}`),
    optional('--owner <id>', `CRM user whose leads are called${removal}`),
    optional(
      '--auto-call <on|off>',
      `off: events are recorded, but no lead is called${mayRemove ? '' : ' (default: on)'}`,
    ),
    optional(
      '--settings <json>',
      'JSON object, merged into the settings of the connection (null removes a setting); crm-a has no settings',
    ),
  ];
}

/**
 * Reads the flags as attributes of a connection; undefined for a flag that is missing or `none`.
 * @throws Refusal invalid_value
 */
export function readFlags({ assistant, owner, autoCall }: ConnectionFlags) {
  return {
    assistant_id: assistant === undefined || assistant === NONE ? undefined : assistant,
    trigger_owner_user_id: owner === undefined || owner === NONE ? undefined : text('--owner', owner),
    auto_call: autoCall === undefined ? undefined : oneOf('--auto-call', autoCall, ['on', 'off']) === 'on',
  };
}

/** @param kind why the assistant cannot be used */
export const noSuchAssistant = (
  kind: 'assistant_not_found' | 'assistant_wrong_org',
  assistantId: string | undefined,
  orgId: string,
): Refusal =>
  kind === 'assistant_not_found'
    ? assistantNotFound(assistantId ?? '')
    : new Refusal(kind, `Assistant ${assistantId} does not belong to organization ${orgId}.`);

/** Returns sentences about settings that are missing, or that have no effect without other settings. */
export const hintsOn = (connection: Connection): string[] => [
  ...(connection.assistant_id === undefined || connection.trigger_owner_user_id === undefined
    ? ['No lead is called until the connection has an assistant and an owner: set them with connection update.']
    : []),
  ...withoutEffect(connection),
];

/** @returns the JSON of the flag; undefined if not given @throws Refusal if it is not a JSON object */
export const readSettings = (given: string | undefined): Record<string, unknown> | undefined =>
  given === undefined ? undefined : { ...jsonObject('--settings', given) };

/** Refuses settings by name and with the reasons. */
export const invalidSettings = (issues: readonly SettingIssue[]): Refusal =>
  invalid(`--settings: ${issues.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ')}.`);
