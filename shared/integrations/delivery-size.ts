const MAX_BYTES = 256 * 1024;

/** Returns whether a body exceeds the limit of a delivery (docs/leads.md, "The CRM-A webhook"). */
export const isTooLarge = (text: string): boolean => Buffer.byteLength(text) > MAX_BYTES;
