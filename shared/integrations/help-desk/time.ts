import * as z from 'zod/mini';

/** ISO 8601 by the vendor's schema, milliseconds since 1970 by its examples. @returns ISO 8601 UTC; undefined for all else. */
export const timeSchema = z.pipe(
  z.catch(z.nullish(z.union([z.string(), z.number()])), undefined),
  z.transform((value): string | undefined => {
    if (value === null || value === undefined || value === '') return undefined;
    const time = new Date(/^\d{10,15}$/.test(String(value)) ? Number(value) : value);
    return Number.isFinite(time.getTime()) ? time.toISOString() : undefined;
  }),
);
