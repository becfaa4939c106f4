import type * as z from 'zod/mini';
import type { Role } from '../../domain/organizations/member.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * One route of the dashboard's API: what a function, the browser's client, the authorization tests and the documents
 * have in common.
 */
export type DashboardRoute = {
  method: Method;
  /** Below /api/dashboard; a part in braces is a parameter. */
  path: `/${string}`;
  /** The least role that may use it; `none` for the routes that begin, renew and end a session. */
  role: Role | 'none';
  /** The JSON body. */
  request?: z.ZodMiniType;
  /** How long the JSON body may be; absent = 64 KB. */
  mostBytes?: number;
  /** The body is multipart/form-data, with files, instead of JSON. */
  takesFiles?: true;
  /** A request needs the header `Idempotency-Key`; a repeat with the same key changes nothing. */
  takesIdempotencyKey?: true;
  query?: z.ZodMiniType;
  /** The body of a successful answer; absent = no body. */
  answer?: z.ZodMiniType;
};

/** Where all routes begin. */
export const DASHBOARD_PATH = '/api/dashboard';
