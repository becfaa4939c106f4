const MOST_BYTES = 256 * 1024;

/** What a CRM may deliver at once (docs/leads.md). */
export const isTooLarge = (text: string): boolean => Buffer.byteLength(text) > MOST_BYTES;
