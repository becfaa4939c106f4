import type { RateVerdict } from '../../domain/organizations/rate-limit.ts';
import type { Admission } from '../../operations/organizations/steps/admit-request.ts';
import { type RestAnswer, refuse } from './rest-route.ts';

const messageOf = {
  missing_api_key: 'Send your API key as Authorization: Bearer <API_KEY>.',
  invalid_api_key_format: 'The value of the Authorization header is not an API key: keys start with svc_live_.',
  invalid_api_key: 'The API key is not known.',
  revoked_api_key: 'The API key was revoked.',
} as const;

/** Returns the headers that report the limit with the fewest requests left (docs/rest-api.md, "Rate limits"). */
export const rateHeaders = ({ limit, remaining, resetSeconds }: RateVerdict): Record<string, string> => ({
  'ratelimit-limit': String(limit),
  'ratelimit-remaining': String(remaining),
  'ratelimit-reset': String(resetSeconds),
});

/** Answers a request that is not admitted. */
export function refuseAdmission(
  admission: Exclude<Admission, { kind: 'admitted' }>,
  headers: Record<string, string>,
): RestAnswer {
  switch (admission.kind) {
    case 'refused':
      return refuse({ error: admission.error, message: messageOf[admission.error] });
    case 'rate_limited': {
      const { limit, resetSeconds, windowSeconds } = admission.rate;
      return refuse(
        {
          error: 'rate_limit_exceeded',
          message: `At most ${limit} such requests are accepted in ${windowSeconds} s. Try again in ${resetSeconds} s.`,
        },
        { ...headers, 'retry-after': String(resetSeconds) },
      );
    }
    case 'org_suspended':
      return refuse({ error: 'org_suspended', message: 'The organization is suspended.' }, headers);
    case 'not_permitted':
      return refuse(
        { error: 'insufficient_permissions', message: `The API key lacks the permission ${admission.permission}.` },
        headers,
      );
  }
}

/** Refuses a request beyond a limit that the rate headers do not report, such as the limit of analyses of a call. */
export const refuseTooOften = (
  { reason, retryAfterSeconds }: { reason: string; retryAfterSeconds: number },
  headers: Record<string, string>,
): RestAnswer =>
  refuse({ error: 'rate_limit_exceeded', message: reason }, { ...headers, 'retry-after': String(retryAfterSeconds) });
