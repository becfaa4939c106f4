import { type ErrorCode, statusOfError } from './errors.ts';
import { type Json, json } from './openapi-schemas.ts';
import type { RestRoute } from './route.ts';

/** The statuses of API Gateway's own answers (docs/rest-api.md, "Answers of API Gateway"). */
export const gatewayStatuses = [413, 429, 431, 500, 503];
export const gatewayAnswer = { $ref: '#/components/schemas/GatewayError' };

/** Returns the content of an error answer of these shapes. AWS documents no body for 431. */
export const contentOfFailure = (status: number, shapes: readonly Json[]): Json => {
  const [only = {}] = shapes;
  return status === 431 ? {} : json(shapes.length > 1 ? { anyOf: shapes } : only);
};

/** The errors that every route with an API key may return. */
const errorsOfKeys: ErrorCode[] = [
  'missing_api_key',
  'invalid_api_key_format',
  'invalid_api_key',
  'revoked_api_key',
  'rate_limit_exceeded',
];
const errorsOfAll: ErrorCode[] = ['internal_error', 'service_unavailable'];

/** Describes the error answers of a route by status. */
export function failuresOf(route: RestRoute): Record<string, Json> {
  const { errors, refusals = {}, proof } = route;
  const codes = errors ? [...(proof === 'apiKey' ? errorsOfKeys : []), ...errors, ...errorsOfAll] : [];
  const statuses = new Set<number>([
    ...codes.map((code) => statusOfError[code]),
    ...Object.keys(refusals).map(Number),
    ...gatewayStatuses,
  ]);
  return Object.fromEntries(
    [...statuses].sort().map((status) => {
      const here = codes.filter((code) => statusOfError[code] === status);
      const shapes = [
        ...(here.length > 0 ? [errorSchema(here)] : []),
        ...(refusals[status] ? [refusalSchema(refusals[status])] : []),
        ...(gatewayStatuses.includes(status) ? [gatewayAnswer] : []),
      ];
      return [
        String(status),
        {
          description: [...here, refusals[status]].filter(Boolean).join(', ') || 'Answered by the gateway.',
          content: route.method === 'HEAD' ? {} : contentOfFailure(status, shapes),
        },
      ];
    }),
  );
}

const errorSchema = (codes: readonly ErrorCode[]) => ({
  type: 'object',
  properties: {
    error: { type: 'string', enum: codes },
    message: { type: 'string' },
    ...(codes.includes('insufficient_credits') && { required: { type: 'number' }, available: { type: 'number' } }),
  },
  required: ['error', 'message'],
});

const refusalSchema = (error: string) => ({
  type: 'object',
  properties: { error: { type: 'string', const: error } },
  required: ['error'],
});

/** Names of the error answers that several routes share. */
const namesOfShared: Readonly<Record<string, string>> = {
  401: 'Unauthorized',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
};

/**
 * Moves the error answers that several routes share to one place each, to which the routes then refer.
 * @returns the answers by name
 */
export function shareFailures(operations: readonly { responses: Record<string, Json> }[]): Record<string, Json> {
  const shared: Record<string, Json> = {};
  for (const { responses } of operations)
    for (const [status, name] of Object.entries(namesOfShared)) {
      const answer = responses[status];
      if (!answer) continue;
      shared[name] ??= answer;
      if (JSON.stringify(shared[name]) === JSON.stringify(answer))
        responses[status] = { $ref: `#/components/responses/${name}` };
    }
  return shared;
}
