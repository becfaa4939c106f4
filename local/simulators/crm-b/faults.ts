import * as z from 'zod';
import { type Armed, commonKinds, faultFields } from '../faults.ts';

/** What befalls a request of one route; `*` is every route of both servers. */
export const faultSchema = z.strictObject({
  ...faultFields,
  kind: z.enum([
    ...commonKinds,
    /** The one item of the body failed with the code `error`, on a 2xx. */
    'item-error',
    /** `{"error": …}` of the accounts server, see `error`. */
    'oauth-error',
    /** The accounts server's throttle. */
    'access-denied',
  ]),
  /** The code of `oauth-error` or `item-error`. */
  error: z.string().optional(),
});

export type Fault = z.infer<typeof faultSchema>;
export type ArmedFault = Armed<Fault>;
