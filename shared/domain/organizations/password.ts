import { randomBytes } from 'node:crypto';

export const LEAST_PASSWORD_CHARACTERS = 12;

/**
 * Whether the user pool reads a text as a password: at least two characters, in one line, without a blank at its ends
 * (Cognito API reference, "ChangePassword"). It answers any other text as a wrong request.
 */
export const mayBePassword = (text: string): boolean => /^\S.*\S$/.test(text);

/** Whether the user pool would refuse the password. Asking it would use up an invitation's challenge. */
export const isWeak = (password: string): boolean =>
  password.length < LEAST_PASSWORD_CHARACTERS || !mayBePassword(password);

/** Creates a first password: 96 random bits. */
export const newFirstPassword = (): string => randomBytes(12).toString('base64url');
