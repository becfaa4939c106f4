import * as z from 'zod';
import { accountsFaultFields, accountsFaultKinds } from '../zoho-accounts/faults.ts';

/** A fault of the API or of its accounts server; the route `*` is every route of both. */
export const faultSchema = z.strictObject({
  ...accountsFaultFields,
  kind: z.enum([
    ...accountsFaultKinds,
    /** The answer has one failed item, with the code in `error` and the status of the settings (`itemErrorStatus`). */
    'item-error',
  ]),
});

export type Fault = z.infer<typeof faultSchema>;
