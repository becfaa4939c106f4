import type { Permission } from '../../../shared/domain/organizations/permission.ts';

/** The actions that each permission allows. */
export const permissionWords: Readonly<Record<Permission, string>> = {
  'calls:write': 'Place, read and analyze calls, and add knowledge to assistants',
  'calls:read': 'Read and analyze calls, and add knowledge to assistants',
  'assistants:read': 'Read assistants; no route needs it yet',
};

type FirstRequest = {
  /** The API's address. */
  origin: string;
  key: string;
  permissions: readonly string[];
  /** The person's own phone. Without it, a placeholder is shown: an example might be a stranger's number. */
  phone?: string | undefined;
  assistantId?: string | undefined;
  callbackUrl?: string;
};

const placeholderSentences = {
  YOUR_PHONE_NUMBER:
    'Replace YOUR_PHONE_NUMBER with the number to call: a plus sign, the country code and the rest, without spaces, such as +91 and ten digits. It is filled in here if your account has your number.',
  ASSISTANT_ID: 'Replace ASSISTANT_ID with the id of an assistant.',
  CALL_ID: 'Replace CALL_ID with the id of a call: copy it from the menu on the page of the call.',
} as const;

const NO_ASSISTANT = 'You have none yet. Create one, and its id is filled in here.';

/**
 * @param isListKnown whether the assistants could be read, so that a missing id means that there are none
 * @returns the values to fill in before the request can run, as sentences
 */
export const describePlaceholders = (line: string, isListKnown: boolean): string[] =>
  Object.entries(placeholderSentences).flatMap(([placeholder, sentence]) => {
    if (!line.includes(placeholder)) return [];
    return [placeholder === 'ASSISTANT_ID' && isListKnown ? `${sentence} ${NO_ASSISTANT}` : sentence];
  });

/** The first request to make with a key, as a line for a terminal. */
export function firstCurlCommand({ origin, key, permissions, phone, assistantId, callbackUrl }: FirstRequest): string {
  const authorization = `-H "Authorization: Bearer ${key}"`;
  if (!permissions.includes('calls:write')) return `curl -s ${origin}/v1/calls/CALL_ID ${authorization}`;
  const body = JSON.stringify({
    phone_number: phone ?? 'YOUR_PHONE_NUMBER',
    assistant_id: assistantId ?? 'ASSISTANT_ID',
    callback_url: callbackUrl,
  });
  return `curl -s ${origin}/v1/calls/outbound ${authorization} -H "Content-Type: application/json" -d '${body}'`;
}
