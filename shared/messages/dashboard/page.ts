import * as z from 'zod/mini';

/** Pages of a list. `next` holds only sort keys, which are useless to another organization. */
export const page = {
  limit: z.optional(z.string().check(z.regex(/^([1-9]\d?|1\d\d|200)$/))),
  next: z.optional(z.string().check(z.maxLength(1024))),
};

const MAX_CHARACTERS_OF_AN_INSTANT = 40;

/** A time in a query. ISO 8601 allows any number of digits, but a key of DynamoDB has 1,024 bytes at most. */
export const instant = z.iso.datetime().check(z.maxLength(MAX_CHARACTERS_OF_AN_INSTANT));
