import * as z from 'zod';
import { accountsFaultFields, accountsFaultKinds } from '../zoho-accounts/faults.ts';

/** A fault of the API or of its accounts server; the route `*` is every route of both. */
export const faultSchema = z.strictObject({
  ...accountsFaultFields,
  kind: z.enum([
    ...accountsFaultKinds,
    /** The one item of the body failed with the code in `error`, on a 2xx. */
    'item-error',
  ]),
});

export type Fault = z.infer<typeof faultSchema>;
