/** Reads a text from an address. @returns undefined if it is absent */
export const readText = (value: unknown, maxLength: number): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, maxLength) : undefined;
