import { randomBytes } from 'node:crypto';

export const LEAST_PASSWORD_CHARACTERS = 12;

/** Whether the user pool would refuse the password. Asking it would use up an invitation's challenge. */
export const isWeak = (password: string): boolean => password.length < LEAST_PASSWORD_CHARACTERS;

/** Creates a first password: 96 random bits. */
export const newFirstPassword = (): string => randomBytes(12).toString('base64url');
