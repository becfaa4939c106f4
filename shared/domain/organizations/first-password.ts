import { randomBytes } from 'node:crypto';

/** Creates a first password that fits the user pool's rules: 12 characters or more of all four kinds. */
export const newFirstPassword = (): string => `${randomBytes(9).toString('base64url')}-aA1`;
