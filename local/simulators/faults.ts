import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { type Answer, Problem } from './answer.ts';

/** What every vendor's simulator can do to a request. */
export const commonKinds = [
  /** Refused before any work. */
  'too-many-requests',
  'server-error',
  'html',
  'invalid-token',
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
] as const;

/** What befalls a request of one route. */
export const faultFields = {
  /** As in the list of requests: `GET /crm/v8/Leads/{id}`; `*` is every route. */
  route: z.string(),
  /** Status instead of the kind's own. */
  status: z.int().min(200).max(599).optional(),
  seconds: z.number().min(0).optional(),
  /** Requests it lets pass first, then those it befalls (1 unless told; null: all). */
  skip: z.int().min(0).optional(),
  times: z.int().min(1).nullable().optional(),
  /** Only requests whose path, query or body holds this text. */
  containing: z.string().optional(),
};

export const commonFaultSchema = z.strictObject({ ...faultFields, kind: z.enum(commonKinds) });

type CommonFault = Omit<z.infer<typeof commonFaultSchema>, 'kind'> & { kind: string };
export type Armed<Fault> = Fault & { skipped: number; befell: number };

/** The first fault that the request calls for, counted as used. */
export function takeFault<Fault extends CommonFault>(
  faults: Armed<Fault>[],
  route: string,
  text: string,
): Fault | undefined {
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

/** Ends a request without an answer. */
export class Silence extends Error {
  readonly kind: 'none' | 'dropped';

  constructor(kind: 'none' | 'dropped') {
    super(kind);
    this.kind = kind;
  }
}

/** The vendor's own words for what a fault answers. */
export type VendorProblems = {
  tooManyRequests(seconds?: number): Problem;
  internalError(status?: number): Problem;
  invalidToken(): Problem;
};

/** Throws what a fault of the common kinds does to a request before its work. */
export function prevent(fault: CommonFault | undefined, problems: VendorProblems): void {
  switch (fault?.kind) {
    case 'too-many-requests':
      throw problems.tooManyRequests(fault.seconds);
    case 'server-error':
      throw problems.internalError(fault.status);
    case 'html':
      throw new Problem({ status: fault.status ?? 502, html: '<html><body><h1>Bad Gateway</h1></body></html>' });
    case 'invalid-token':
      throw problems.invalidToken();
    case 'hang':
      throw new Silence('none');
    case 'drop':
      throw new Silence('dropped');
    default:
  }
}

/**
 * Spoils the answer of work that was done.
 * @param speed simulated seconds per real second. @param gone aborted when the simulator forgets all.
 */
export async function spoil(
  fault: CommonFault | undefined,
  answer: Answer,
  { problems, speed, gone }: { problems: VendorProblems; speed: number; gone: AbortSignal },
): Promise<Answer> {
  switch (fault?.kind) {
    case 'drop-after':
      throw new Silence('dropped');
    case 'hang-after':
      throw new Silence('none');
    case 'server-error-after':
      return problems.internalError(fault.status).answer;
    case 'slow': {
      const milliseconds = (1000 * (fault.seconds ?? 10)) / speed;
      const waited = await sleep(milliseconds, true, { signal: gone }).catch(() => false);
      if (!waited) throw new Silence('dropped');
      return answer;
    }
    default:
      return answer;
  }
}
