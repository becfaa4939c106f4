import * as z from 'zod/mini';

/** Pages of a list. `next` holds only sort keys, which are useless to another organization. */
export const page = {
  limit: z.optional(z.string().check(z.regex(/^([1-9]\d?|1\d\d|200)$/))),
  next: z.optional(z.string().check(z.maxLength(1024))),
};
