/** The rights of an API key. The right to write calls includes the right to read them. */
export const permissions = ['calls:read', 'calls:write', 'assistants:read'] as const;
export type Permission = (typeof permissions)[number];

export const defaultPermissions: Permission[] = ['calls:write', 'assistants:read'];
