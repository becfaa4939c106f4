import * as z from 'zod';

/** What befalls a request of one route. */
export const faultSchema = z.strictObject({
  /** As in the list of requests: `GET /crm/v8/Leads/{id}`; `*` is every route of both servers. */
  route: z.string(),
  kind: z.enum([
    /** Refused before any work. */
    'too-many-requests',
    'server-error',
    'html',
    'invalid-token',
    /** The one item of the body failed with the code `error`, on a 2xx. */
    'item-error',
    /** `{"error": …}` of the accounts server, see `error`. */
    'oauth-error',
    /** The accounts server's throttle. */
    'access-denied',
    /** Never answered, nothing done. */
    'hang',
    /** The connection breaks, nothing done. */
    'drop',
    /** The connection breaks, or nothing is ever answered, or 500 is, after the work was done. */
    'drop-after',
    'hang-after',
    'server-error-after',
    /** Half of the answer, then the connection breaks. */
    'cut-after',
    /** Answered as usual after `seconds`. */
    'slow',
  ]),
  /** Status instead of the kind's own. */
  status: z.int().min(200).max(599).optional(),
  /** The code of `oauth-error` or `item-error`. */
  error: z.string().optional(),
  seconds: z.number().min(0).optional(),
  /** Requests it lets pass first, then those it befalls (1 unless told; null: all). */
  skip: z.int().min(0).optional(),
  times: z.int().min(1).nullable().optional(),
  /** Only requests whose path, query or body holds this text. */
  containing: z.string().optional(),
});

export type Fault = z.infer<typeof faultSchema>;
export type ArmedFault = Fault & { skipped: number; befell: number };

/** The first fault that the request calls for, counted as used. */
export function takeFault(faults: ArmedFault[], route: string, text: string): Fault | undefined {
  for (const fault of faults) {
    const times = fault.times === undefined ? 1 : (fault.times ?? Number.POSITIVE_INFINITY);
    if (fault.route !== '*' && fault.route !== route) continue;
    if (fault.containing !== undefined && !text.includes(fault.containing)) continue;
    if (fault.befell >= times) continue;
    if (fault.skipped < (fault.skip ?? 0)) {
      fault.skipped += 1;
      continue;
    }
    fault.befell += 1;
    return fault;
  }
  return undefined;
}
