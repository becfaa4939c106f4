/** Reads a text of an address. @returns undefined where there is none */
export const readText = (value: unknown, most: number): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, most) : undefined;
