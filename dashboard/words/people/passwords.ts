/** The user pool's rules for a password. */
export const passwordHint = 'Use at least 12 characters. A sentence is easier to remember than symbols.';
