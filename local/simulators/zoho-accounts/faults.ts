import * as z from 'zod';
import { commonKinds, faultFields } from '../kit/faults.ts';

export const accountsFaultKinds = [
  ...commonKinds,
  /** `{"error": …}` with the code in `error`. */
  'oauth-error',
  /** The throttle. */
  'access-denied',
] as const;

export const accountsFaultFields = {
  ...faultFields,
  /** The code of an `oauth-error`. */
  error: z.string().optional(),
};

export const accountsFaultSchema = z.strictObject({ ...accountsFaultFields, kind: z.enum(accountsFaultKinds) });

/** A fault of the accounts server, or of an API that shares its journal. */
export type AccountsFault = Omit<z.infer<typeof accountsFaultSchema>, 'kind'> & { kind: string };
