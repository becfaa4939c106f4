/** Joins class names; skips unset ones. */
export const classNames = (...all: (string | false | undefined)[]): string => all.filter(Boolean).join(' ');
