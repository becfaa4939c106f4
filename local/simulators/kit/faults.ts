import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { type Answer, Problem, WithheldAnswer } from './answer.ts';

/** How many requests a fault affects. */
export const countFields = {
  /** Requests that pass first. */
  skip: z.int().min(0).optional(),
  /** Requests that it affects after that: 1 by default, null for all. */
  times: z.int().min(1).nullable().optional(),
};

/** The requests that a fault affects. */
export const faultFields = {
  ...countFields,
  /** As in the list of requests, such as `GET /crm/v8/Leads/{id}`; `*` is every route. */
  route: z.string(),
  /** Only requests whose path, query or body contains this text. */
  containing: z.string().optional(),
  /** Replaces the status of the kind. */
  status: z.int().min(200).max(599).optional(),
  seconds: z.number().min(0).optional(),
};

export const commonKinds = [
  /** Refused before any work. */
  'too-many-requests',
  'server-error',
  'html',
  'invalid-token',
  /** No answer and no work. */
  'hang',
  /** A broken connection and no work. */
  'drop',
  /** The work is done; then the connection breaks, no answer comes, or 500 is answered. */
  'drop-after',
  'hang-after',
  'server-error-after',
  /** The work is done; the connection breaks after half of the answer. */
  'cut-after',
  /** The usual answer after `seconds`. */
  'slow',
] as const;

export const commonFaultSchema = z.strictObject({ ...faultFields, kind: z.enum(commonKinds) });

export type CountedFault = { skip?: number | undefined; times?: number | null | undefined };
export type CommonFault = Omit<z.infer<typeof commonFaultSchema>, 'kind'> & { kind: string };
export type Armed<Fault> = Fault & { skipped: number; affected: number };

/** Takes the first fault that matches and is not used up, and counts it. */
export function takeFault<Fault extends CountedFault>(
  faults: Armed<Fault>[],
  matches: (fault: Fault) => boolean,
): Fault | undefined {
  for (const fault of faults) {
    const times = fault.times === undefined ? 1 : (fault.times ?? Number.POSITIVE_INFINITY);
    if (!matches(fault) || fault.affected >= times) continue;
    if (fault.skipped < (fault.skip ?? 0)) {
      fault.skipped += 1;
      continue;
    }
    fault.affected += 1;
    return fault;
  }
  return undefined;
}

/** Matches a request by its route and by its text. */
export const matchesFault =
  (route: string, text: string) =>
  (fault: CommonFault): boolean =>
    (fault.route === '*' || fault.route === route) &&
    (fault.containing === undefined || text.includes(fault.containing));

/** The errors of common faults, in a vendor's form. */
export type VendorProblems = {
  tooManyRequests(seconds?: number): Problem;
  internalError(status?: number): Problem;
  invalidToken(): Problem;
};

/** The page of a proxy in front of the vendor. */
export const badGateway = (status = 502): Answer => ({
  status,
  html: '<html><body><h1>Bad Gateway</h1></body></html>',
});

/** Throws if a fault prevents the work of a request. */
export function failBeforeWork(fault: CommonFault | undefined, problems: VendorProblems): void {
  switch (fault?.kind) {
    case 'too-many-requests':
      throw problems.tooManyRequests(fault.seconds);
    case 'server-error':
      throw problems.internalError(fault.status);
    case 'html':
      throw new Problem(badGateway(fault.status));
    case 'invalid-token':
      throw problems.invalidToken();
    case 'hang':
      throw new WithheldAnswer('none');
    case 'drop':
      throw new WithheldAnswer('dropped');
    default:
  }
}

/**
 * Changes the answer of finished work as the fault says.
 * @param speed simulated seconds per real second. @param resetSignal aborted when the simulator is reset.
 */
export async function alterAnswer(
  fault: CommonFault | undefined,
  answer: Answer,
  { problems, speed, resetSignal }: { problems: VendorProblems; speed: number; resetSignal: AbortSignal },
): Promise<Answer> {
  switch (fault?.kind) {
    case 'drop-after':
      throw new WithheldAnswer('dropped');
    case 'hang-after':
      throw new WithheldAnswer('none');
    case 'server-error-after':
      return problems.internalError(fault.status).answer;
    case 'cut-after':
      return { ...answer, isCut: true };
    case 'slow':
      await delay((fault.seconds ?? 10) / speed, resetSignal);
      return answer;
    default:
      return answer;
  }
}

/** Waits. @throws WithheldAnswer if the simulator is reset during the wait. */
export async function delay(seconds: number, resetSignal: AbortSignal): Promise<void> {
  await sleep(1000 * seconds, undefined, { signal: resetSignal }).catch(() => {
    throw new WithheldAnswer('dropped');
  });
}
