import type { Permission } from '../../shared/domain/organizations/permission.ts';

/** What a permission lets a key do. */
export const permissionWords: Readonly<Record<Permission, string>> = {
  'calls:write': 'Place, read and end calls, analyze them, and add knowledge to assistants',
  'calls:read': 'Read calls only',
  'assistants:read': 'Read assistants; no route needs it yet',
};

/**
 * The first request that a key can make, as a line for a terminal.
 * @param origin where the API is. @param value of the key.
 */
export function firstRequest(origin: string, value: string, permissions: readonly string[]): string {
  const authorization = `-H "Authorization: Bearer ${value}"`;
  if (!permissions.includes('calls:write')) return `curl -s ${origin}/v1/calls/CALL_ID ${authorization}`;
  const body = `'{"phone_number": "+919812345678", "assistant_id": "ASSISTANT_ID"}'`;
  return `curl -s ${origin}/v1/calls/outbound ${authorization} -H "Content-Type: application/json" -d ${body}`;
}
