/** Joins class names; skips unset ones. */
export const names = (...all: (string | false | undefined)[]): string => all.filter(Boolean).join(' ');
