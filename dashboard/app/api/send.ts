import type * as z from 'zod/mini';
import { DASHBOARD_PATH, type DashboardRoute } from '../../../shared/messages/dashboard/route.ts';
import { ApiError, type FieldError } from './api-error.ts';

type PartOf<Schema, Name extends string> = Schema extends z.ZodMiniType ? { [Key in Name]: z.input<Schema> } : unknown;

/** The names of a path’s parameters. */
type ParameterOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterOf<Rest>
  : never;

/** The parts of a request to a route. */
export type Input<Route extends DashboardRoute> = (Route extends { request: infer Body }
  ? PartOf<Body, 'body'>
  : unknown) &
  (Route extends { takesFiles: true } ? { body: FormData } : unknown) &
  (Route extends { idempotencyKey: string } ? { idempotencyKey: string } : unknown) &
  (Route extends { query: infer Query } ? Partial<PartOf<Query, 'query'>> : unknown) &
  (ParameterOf<Route['path']> extends never ? unknown : { params: { [Key in ParameterOf<Route['path']>]: string } }) & {
    signal?: AbortSignal | undefined;
  };

export type Answer<Route extends DashboardRoute> = Route extends { answer: infer Schema extends z.ZodMiniType }
  ? z.output<Schema>
  : undefined;

type AnyInput = {
  body?: unknown;
  query?: Readonly<Record<string, string | undefined>>;
  params?: Readonly<Record<string, string>>;
  idempotencyKey?: string;
  signal?: AbortSignal | undefined;
};

export type Fetch = (address: string, init: RequestInit) => Promise<Response>;

/** Functions answer within 29 seconds, the gateway's limit. */
const TIMEOUT_MILLISECONDS = 30_000;
/** 4 MB over a slow line. */
const UPLOAD_TIMEOUT_MILLISECONDS = 300_000;

/**
 * Sends one request and reads its answer.
 * @param token omitted for the routes that start, renew and end a session: they use the cookie
 * @throws ApiError unless the answer is a success of the route's form
 */
export async function send<Route extends DashboardRoute>(
  fetch: Fetch,
  route: Route,
  input: Input<Route>,
  token?: string,
): Promise<Answer<Route>> {
  const { body, signal, idempotencyKey, ...rest } = input as AnyInput;
  const timeout = AbortSignal.timeout(route.takesFiles ? UPLOAD_TIMEOUT_MILLISECONDS : TIMEOUT_MILLISECONDS);
  const isJson = body !== undefined && !(body instanceof FormData);
  const throwUnanswered = (cause: unknown): never => {
    if (signal?.aborted) throw cause;
    throw new ApiError({ status: 0, code: timeout.aborted ? 'timed_out' : 'network' });
  };
  const response = await fetch(urlOf(route, rest), {
    method: route.method,
    credentials: 'same-origin',
    cache: 'no-store',
    headers: {
      ...(token === undefined ? { 'x-dashboard': '1' } : { authorization: `Bearer ${token}` }),
      ...(isJson && { 'content-type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  }).catch(throwUnanswered);
  // A truncated answer counts as no answer, because the request may have had its effect.
  const text = await response.text().catch(throwUnanswered);
  if (!response.ok) throw errorOf(response, text);
  if (route.answer === undefined) return undefined as Answer<Route>;
  const answer = route.answer.safeParse(parse(text));
  if (!answer.success)
    throw new ApiError({ status: response.status, code: 'unexpected_answer', ...requestIdOf(response) });
  return answer.data as Answer<Route>;
}

function urlOf({ path }: DashboardRoute, { params = {}, query = {} }: AnyInput): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, value);
  return `${DASHBOARD_PATH}${filled}${search.size > 0 ? `?${search}` : ''}`;
}

function errorOf(response: Response, text: string): ApiError {
  const body = parse(text) as { error?: unknown; message?: unknown; fields?: unknown } | undefined;
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new ApiError({
    status: response.status,
    code: typeof body?.error === 'string' ? body.error : codeOf(response.status),
    ...(typeof body?.message === 'string' && { message: body.message }),
    fields: Array.isArray(body?.fields) ? body.fields.filter(isFieldError) : [],
    ...requestIdOf(response),
    ...(Number.isFinite(retryAfter) && { retryAfter }),
  });
}

/** The gateway and the distribution answer some failures themselves, without a code. */
function codeOf(status: number): string {
  if (status === 401) return 'session_ended';
  if (status === 429) return 'rate_limit_exceeded';
  if (status === 404) return 'not_found';
  if (status === 413) return 'payload_too_large';
  return status >= 500 ? 'service_unavailable' : 'unexpected_answer';
}

function requestIdOf(response: Response): { requestId?: string } {
  const requestId = response.headers.get('x-request-id') ?? response.headers.get('apigw-requestid');
  return requestId ? { requestId } : {};
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isFieldError = (value: unknown): value is FieldError =>
  typeof value === 'object' && value !== null && 'path' in value && 'message' in value;
