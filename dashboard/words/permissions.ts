import type { Permission } from '../../shared/domain/organizations/permission.ts';

/** What a permission lets a key do. */
export const permissionWords: Readonly<Record<Permission, string>> = {
  'calls:write': 'Place, read and end calls, analyze them, and add knowledge to assistants',
  'calls:read': 'Read calls only',
  'assistants:read': 'Read assistants; no route needs it yet',
};

/** What the person who tries a key has; what is missing is still to be put in. */
export type FirstCall = { phone?: string | undefined; assistantId?: string | undefined };

/**
 * The first request that a key can make, as a line for a terminal.
 * @param origin where the API is. @param value of the key. @param call whom it calls: one's own phone, never a
 * number that may belong to somebody.
 */
export function firstRequest(
  origin: string,
  value: string,
  permissions: readonly string[],
  { phone = 'YOUR_NUMBER', assistantId = 'ASSISTANT_ID' }: FirstCall = {},
): string {
  const authorization = `-H "Authorization: Bearer ${value}"`;
  if (!permissions.includes('calls:write')) return `curl -s ${origin}/v1/calls/CALL_ID ${authorization}`;
  const body = `'{"phone_number": "${phone}", "assistant_id": "${assistantId}"}'`;
  return `curl -s ${origin}/v1/calls/outbound ${authorization} -H "Content-Type: application/json" -d ${body}`;
}

/** Says what is still to be put in before the line works. */
export function missingOf({ phone, assistantId }: FirstCall): string | undefined {
  if (assistantId === undefined) return 'There is no assistant yet. Create one under Assistants, and put in its id.';
  if (phone === undefined) return 'Put in the number of your own phone. Enter it under Account, and it stands here.';
  return undefined;
}
