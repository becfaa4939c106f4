/** Joins class names; those that are not set are left out. */
export const names = (...all: (string | false | undefined)[]): string => all.filter(Boolean).join(' ');
