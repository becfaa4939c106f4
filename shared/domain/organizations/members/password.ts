import { randomBytes } from 'node:crypto';

export const MIN_PASSWORD_CHARACTERS = 12;

/**
 * Returns whether the user pool reads a text as a password: at least two characters, on one line, without white space
 * at either end (Cognito API reference, "ChangePassword"). It treats other text as a malformed request.
 */
export const mayBePassword = (text: string): boolean => /^\S.*\S$/.test(text);

/** Returns whether the user pool would refuse the password. Trying it would use up an invitation's challenge. */
export const isWeak = (password: string): boolean =>
  password.length < MIN_PASSWORD_CHARACTERS || !mayBePassword(password);

/** Creates a first password: 96 random bits. */
export const newFirstPassword = (): string => randomBytes(12).toString('base64url');
