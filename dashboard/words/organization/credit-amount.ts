import * as z from 'zod/mini';

/** An amount of credits as people type it; empty if there is none. */
export const creditAmountSchema = z.string().check(
  z.trim(),
  z.refine((typed) => typed === '' || /^\d{1,9}(\.\d{1,3})?$/.test(typed), {
    message: 'Enter an amount of credits, with three decimals at most.',
  }),
);
