import { OperatorError } from '../../local/operator-error.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** @throws OperatorError if the variable is not a port number. */
export function readPort(variables: Variables, name: 'PORT' | 'EMULATOR_PORT', standard: number): number {
  const port = Number(variables[name] ?? standard);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw new OperatorError(`${name} must be a port number between 0 and 65535, not "${variables[name]}".`);
}

/** The CDK context that variables set; the app's defaults apply to unset variables. */
export const contextOf = (variables: Variables): Record<string, string> =>
  Object.fromEntries(
    Object.entries({
      voiceSlots: variables.VOICE_SLOTS,
      voiceTimeoutMs: variables.VOICE_TIMEOUT_MS,
      zohoAccountsTimeoutMs: variables.ZOHO_ACCOUNTS_TIMEOUT_MS,
      crmBTimeoutMs: variables.CRM_B_TIMEOUT_MS,
      helpDeskTimeoutMs: variables.HELP_DESK_TIMEOUT_MS,
      modelTimeoutMs: variables.MODEL_TIMEOUT_MS,
    }).filter((entry): entry is [string, string] => Boolean(entry[1])),
  );
